-- Mail that comes in for organisations: by which addresses, and each mail.
create table email.inbound_routes (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  domain_id uuid references email.domains (id) on delete cascade,
  host text not null,
  local_part text,
  created_at timestamptz not null default now()
);

comment on table email.inbound_routes is 'Addresses whose mail is taken for an organisation.';
comment on column email.inbound_routes.domain_id is 'The domain that the host is, or is under: mail is taken while it is verified; null for addresses at in.<MAIL_HOSTNAME>.';
comment on column email.inbound_routes.local_part is 'In lower case; null for all that no other route of the host has.';

create unique index inbound_routes_address on email.inbound_routes (host, coalesce(local_part, ''), org_id);
create index inbound_routes_org on email.inbound_routes (org_id, id);
create index inbound_routes_domain on email.inbound_routes (domain_id) where domain_id is not null;

create table email.received (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  route_id uuid not null,
  status text not null default 'arriving' check (status in ('arriving', 'taken', 'read', 'told')),
  recipient text not null,
  sender text not null,
  remote_address text not null,
  remote_network text not null,
  helo text not null,
  bytes bigint not null,
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  fault text,
  from_email text,
  from_name text,
  to_emails text[] not null default '{}',
  subject text,
  message_id text,
  replies_to uuid,
  auto_submitted boolean not null default false,
  text text,
  html text,
  reply text,
  headers jsonb not null default '[]',
  authentication jsonb,
  attachments jsonb not null default '[]',
  created_at timestamptz not null default now(),
  told_at timestamptz,
  no_auto_reply boolean not null default false
);

comment on table email.received is 'Mail that came in for an organisation; its bytes are in storage.';
comment on column email.received.status is
  'arriving: its bytes are not in storage yet, and it is nobody''s; taken: 250 was said; read: its attachments are at the malware gate; told: webhooks were.';
comment on column email.received.remote_network is 'Of the server that brought it: a /24, or a /48 of IPv6.';
comment on column email.received.fault is 'Why it could not be read.';
comment on column email.received.replies_to is 'The message of the organisation''s that it answers.';
comment on column email.received.auto_submitted is 'A program wrote it (RFC 3834).';
comment on column email.received.reply is 'The text without what it quotes.';
comment on column email.received.attachments is 'Array of {object_id, filename, content_type, bytes, content_id, inline, refused}.';
comment on column email.received.no_auto_reply is 'No program may answer it: it is automatic, of a mailing list, or asks for none.';

create index received_org on email.received (org_id, id);
create index received_route on email.received (org_id, route_id, id);
create index received_from on email.received (org_id, from_email, id) where from_email is not null;
create index received_replies_to on email.received (org_id, replies_to, id) where replies_to is not null;
create index received_lately on email.received (org_id, created_at) include (remote_network, bytes);
create index received_created_at on email.received (created_at);
-- A server that did not hear the 250 sends the same bytes again.
create unique index received_once on email.received (route_id, recipient, sha256) where sha256 is not null;

create function email.stored_bytes(received email.received) returns bigint language sql immutable as $$
  select received.bytes
$$;

create function email.count_stored() returns trigger language plpgsql as $$
begin
  perform account.add_stored(coalesce(new.org_id, old.org_id),
    coalesce(email.stored_bytes(new), 0) - coalesce(email.stored_bytes(old), 0));
  return null;
end
$$;

create trigger count_new after insert or delete on email.received for each row execute function email.count_stored();

create function email.received_bytes(received email.received) returns bigint language sql immutable as $$
  select received.bytes + coalesce((
    select sum((file ->> 'bytes')::bigint) from jsonb_array_elements(received.attachments) as file
    where file ->> 'object_id' is not null), 0)::bigint
$$;

create function email.count_received() returns trigger language plpgsql as $$
declare
  change bigint := coalesce(email.received_bytes(new), 0) - coalesce(email.received_bytes(old), 0);
begin
  if change > 0 then
    insert into account.storage as stored (org_id, bytes, received_bytes) values (new.org_id, 0, change)
      on conflict (org_id) do update set received_bytes = stored.received_bytes + excluded.received_bytes;
  elsif change < 0 then
    update account.storage set received_bytes = received_bytes + change where org_id = coalesce(new.org_id, old.org_id);
  end if;
  return null;
end
$$;

create trigger count_received after insert or delete or update of attachments on email.received
  for each row execute function email.count_received();
