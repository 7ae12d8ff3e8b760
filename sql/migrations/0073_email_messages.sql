create schema email;

comment on schema email is 'Mail of organisations: domains it is sent from, messages, their way to the recipient, and what came of it.';

create table email.domains (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  domain text not null,
  return_path text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'failed')),
  verified_by text check (verified_by in ('dns', 'operator')),
  checks jsonb not null default '{}',
  failed_passes integer not null default 0,
  created_at timestamptz not null default now(),
  checked_at timestamptz,
  verified_at timestamptz,
  passed_at timestamptz,
  unique (org_id, domain),
  check ((status = 'verified') = (verified_by is not null))
);

comment on column email.domains.return_path is 'Host of the envelope sender: SPF is judged by it (RFC 7208), and bounces come to its MX.';
comment on column email.domains.verified_by is 'A domain that an operator has vouched for is not judged by DNS.';
comment on column email.domains.failed_passes is 'Passes in a row in which its name servers answered, and a record was not as it must be.';
comment on column email.domains.passed_at is 'When the last hourly pass was; checks that were asked for between two do not count.';

create index domains_return_path on email.domains (return_path);

create table email.dkim_keys (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  domain_id uuid not null references email.domains (id) on delete cascade,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  private_key text not null,
  public_key text not null,
  published boolean not null default false,
  created_at timestamptz not null default now(),
  unique (domain_id, selector)
);

comment on column email.dkim_keys.private_key is 'PKCS #8 in PEM, sealed.';
comment on column email.dkim_keys.public_key is 'The value of p= (RFC 6376 §3.6.1, RFC 8463 §4.2).';
comment on column email.dkim_keys.published is 'Whether its TXT record was seen: nothing is signed with a key that is not.';

create table email.templates (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  subject text not null,
  html text not null,
  text text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  variables text[]
);

comment on table email.templates is 'What messages are rendered from: {{placeholders}} take the variables of a request.';
comment on column email.templates.variables is 'The names of its placeholders. A trigger writes them.';

create index templates_org on email.templates (org_id, id);

create table email.contents (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  html text,
  text text,
  reply_to text,
  headers jsonb not null default '{}',
  attachments jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- The To and Cc that all recipients of a message see; null where it has one recipient.
  recipients jsonb
);

comment on table email.contents is 'What a message says; all messages of a campaign share one.';
comment on column email.contents.recipients is '{to, cc}: the header of a message with copies; Bcc is in none (RFC 5322 §3.6.3).';

create index contents_created_at on email.contents (created_at);

-- Files in base64 are not worth compressing: it took longer than all the rest of their insert.
alter table email.contents alter column attachments set storage external;

create table email.campaigns (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null,
  name text not null,
  subject text not null,
  html text not null,
  text text,
  from_email text not null,
  from_name text,
  status text not null default 'draft' check (status in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled')),
  reason text,
  recipients integer not null default 0,
  expanded integer not null default 0,
  blocked jsonb not null default '{}',
  last_contact uuid,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  preheader text,
  segment_id uuid,
  segment jsonb,
  send_at timestamptz,
  ended_at timestamptz
);

comment on table email.campaigns is 'One mail to every confirmed contact; its id is also that of its content.';
comment on column email.campaigns.status is 'sent: every recipient''s message is with delivery. A paused one may be sent on.';
comment on column email.campaigns.reason is 'Why it is paused, in a sentence.';
comment on column email.campaigns.recipients is 'Confirmed contacts when it was sent first.';
comment on column email.campaigns.expanded is 'Contacts that were gone through: each has a message, or is counted as blocked.';
comment on column email.campaigns.blocked is 'Contacts that get none, by why: a reason of email.suppressions, unconfirmed, unsubscribed.';
comment on column email.campaigns.last_contact is 'The last contact that was gone through: written with the messages, so that none gets two.';
comment on column email.campaigns.segment_id is 'Whom it is for; null for every confirmed contact.';
comment on column email.campaigns.segment is 'The segment as it was when the sending began: a change midway changes no recipient.';
comment on column email.campaigns.ended_at is 'When the last of its messages had come to an end.';

create index campaigns_org on email.campaigns (org_id, id);
create index campaigns_scheduled on email.campaigns (send_at) where status = 'scheduled';
create index campaigns_unended on email.campaigns (finished_at) where status = 'sent' and ended_at is null;

create table email.messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null default false,
  stream text not null check (stream in ('transactional', 'security', 'subscribed', 'repermission')),
  domain_id uuid not null,
  from_email text not null,
  from_name text,
  to_email text not null,
  subject text not null,
  content_id uuid not null,
  campaign_id uuid,
  contact_id uuid,
  template_id uuid,
  message_id text not null,
  status text not null default 'queued'
    check (status in ( 'scheduled', 'queued', 'sent', 'delivered', 'deferred', 'bounced', 'failed', 'suppressed', 'complained', 'cancelled')),
  reply_class text,
  reason text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  deferred_at timestamptz,
  bounced_at timestamptz,
  failed_at timestamptz,
  suppressed_at timestamptz,
  complained_at timestamptz,
  recipient text not null default 'to' check (recipient in ('to', 'cc', 'bcc')),
  copy_of uuid,
  send_at timestamptz,
  cancelled_at timestamptz,
  tags jsonb not null default '[]',
  metadata jsonb,
  -- Local parts as they were given: stored forms are lower case, and a server may tell them apart (RFC 5321 §2.4).
  to_written text,
  from_written text
);

comment on table email.messages is 'One message to one recipient, and what became of it.';
comment on column email.messages.sandbox is 'Of a snd_test_ key: recorded, never delivered, in no rate and no usage.';
comment on column email.messages.message_id is 'Message-ID without brackets (RFC 5322 §3.6.4); the same on every attempt, as is Date, which is created_at.';
comment on column email.messages.reply_class is 'What the last reply that decided something meant (workers/mail).';
comment on column email.messages.copy_of is 'Of a copy (cc, bcc): the message to the recipient of To, whose Message-ID and content it has.';
comment on column email.messages.send_at is 'When its turn is, and its Date; null: at once.';
comment on column email.messages.tags is 'Array of {name, value}, repeated by its events; email.message_tags finds messages by them.';
comment on column email.messages.to_written is 'The recipient as the caller wrote it, to which the mail goes; null where that is to_email.';
comment on column email.messages.from_written is 'The sender as the caller wrote it; null where that is from_email.';

create index messages_org on email.messages (org_id, id);
create index messages_campaign on email.messages (campaign_id, status) where campaign_id is not null;
create index messages_contact on email.messages (contact_id, id) where contact_id is not null;
create index messages_created_at on email.messages (created_at);
create index messages_to on email.messages (org_id, to_email, id);
-- Lists are asked for by any status.
create index messages_status on email.messages (org_id, status, id);
create index messages_stream on email.messages (org_id, stream, id);
create index messages_from on email.messages (org_id, from_email, id);
create index messages_copies on email.messages (copy_of, id) where copy_of is not null;
create index messages_scheduled on email.messages (org_id, id) where send_at is not null;
create index messages_waiting on email.messages (org_id, send_at, id) where status = 'scheduled';
create index messages_late on email.messages (send_at) where status = 'scheduled';

create table email.daily (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  stream text not null,
  accepted integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  deferred integer not null default 0,
  bounced integer not null default 0,
  hard_bounced integer not null default 0,
  failed integer not null default 0,
  suppressed integer not null default 0,
  complained integer not null default 0,
  taken integer not null default 0,
  primary key (org_id, day, stream)
);

comment on table email.daily is 'Messages by the day (UTC) on which they were accepted; what happens to one later counts for that day.';
comment on column email.daily.hard_bounced is 'Bounces of an address or domain that is not there: those by which a sender is judged.';
comment on column email.daily.taken is
  'Messages that a server took, the recipient''s own or a smarthost, but those that bounced later: what rates of bounces and complaints are shares of.';

create table email.reputation (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  marketing text not null default 'active' check (marketing in ('active', 'paused')),
  reason text,
  warned_at timestamptz,
  paused_at timestamptz,
  counted_from date
);

comment on column email.reputation.counted_from is 'Earlier days count no more: an operator has resumed marketing on this day.';

create table email.usage (
  org_id uuid not null references account.orgs (id) on delete cascade,
  month date not null,
  messages integer not null default 0,
  granted integer not null default 0,
  primary key (org_id, month)
);

comment on table email.usage is 'Messages of organisations by month (UTC), which their plans cap; sandbox and suppressed ones are not counted.';
comment on column email.usage.granted is 'How many the last statement was granted, so that it can return it.';

create table email.message_tags (
  message_id uuid not null references email.messages (id) on delete cascade,
  org_id uuid not null,
  name text not null,
  value text not null,
  primary key (message_id, name)
);

comment on table email.message_tags is 'The tags of messages, by which lists are filtered: each reads its page, however many messages have the tag.';

create index message_tags_name on email.message_tags (org_id, name, message_id);
create index message_tags_value on email.message_tags (org_id, name, value, message_id);

-- The variables of a template are stored when it is written: a list of templates must not read their texts.
create function email.placeholders(variadic texts text[]) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(name order by first), '{}')
  from (
    select m.found[1] as name, min(t.number * 1000000000 + m.number) as first
    from unnest(texts) with ordinality as t (said, number)
    cross join lateral regexp_matches(t.said,
      '\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*(?:\|\s*(?:"[^"{}]*"|''[^''{}]*'')\s*)?\}\}', 'g')
      with ordinality as m (found, number)
    group by 1
  ) as named
$$;

comment on function email.placeholders is 'The names of the placeholders in texts, each once, in the order in which they stand.';

create function email.write_variables() returns trigger language plpgsql as $$
begin
  new.variables := email.placeholders(new.subject, new.html, new.text);
  return new;
end
$$;

create trigger write_variables before insert or update of subject, html, text on email.templates
for each row execute function email.write_variables();
