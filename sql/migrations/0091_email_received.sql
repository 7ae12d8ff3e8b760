alter table email.received add column no_auto_reply boolean not null default false;

comment on column email.received.auto_submitted is 'A program wrote it (RFC 3834).';
comment on column email.received.no_auto_reply is 'No program may answer it: it is automatic, of a mailing list, or asks for none.';

update email.received set no_auto_reply = true where auto_submitted;

-- Mail that anybody sends may fill only a share of what its organisation stores.
alter table account.storage
  add column received_bytes bigint not null default 0,
  add column received_warned smallint not null default 0;

comment on column account.storage.received_bytes is 'Of bytes, those of received mail and of its files.';
comment on column account.storage.received_warned is 'Percentage of the share of received mail that webhooks were told of: 0, 80 or 100.';

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

insert into account.storage as stored (org_id, bytes, received_bytes)
select org_id, 0, sum(email.received_bytes(r)) from email.received as r group by org_id
on conflict (org_id) do update set received_bytes = excluded.received_bytes;

select account.let_moves_pass();
