-- What an organisation has stored, so that an upload is admitted by one row however many objects there are.
create table account.storage (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  bytes bigint not null,
  -- Mail that anybody sends may fill only a share of what its organisation stores.
  received_bytes bigint not null default 0,
  received_warned smallint not null default 0
) with (fillfactor = 50);

comment on table account.storage is 'Running totals, kept by triggers on video.assets, files.objects and wiki.snapshots in the transaction of each change.';
comment on column account.storage.received_bytes is 'Of bytes, those of received mail and of its files.';
comment on column account.storage.received_warned is 'Percentage of the share of received mail that webhooks were told of: 0, 80 or 100.';

-- Only an increase makes the row: a decrease without one belongs to an organisation that is being deleted.
create function account.add_stored(org uuid, change bigint) returns void language plpgsql as $$
begin
  if change > 0 then
    insert into account.storage as stored (org_id, bytes) values (org, change)
      on conflict (org_id) do update set bytes = stored.bytes + excluded.bytes;
  elsif change < 0 then
    update account.storage set bytes = bytes + change where org_id = org;
  end if;
end
$$;

-- What counts of each row. A table whose row type the parsed body of a function uses cannot be altered in the newest minor
-- releases of Postgres; bodies that are text leave it free.
create function video.stored_bytes(asset video.assets) returns bigint language sql immutable as $$
  select case when asset.status in ('aborted', 'failed', 'deleted') then 0 else asset.bytes end
$$;

create function files.stored_bytes(object files.objects) returns bigint language sql immutable as $$
  select case when object.deleted_at is not null or object.place = 'gone' then 0 else object.byte_size end
$$;

create function wiki.stored_bytes(snapshot wiki.snapshots) returns bigint language sql immutable as $$
  select case when snapshot.bytes_pruned_at is null then coalesce(snapshot.size, 0) else 0 end
$$;

create function video.count_stored() returns trigger language plpgsql as $$
begin
  perform account.add_stored(coalesce(new.org_id, old.org_id),
    coalesce(video.stored_bytes(new), 0) - coalesce(video.stored_bytes(old), 0));
  return null;
end
$$;

create function files.count_stored() returns trigger language plpgsql as $$
begin
  perform account.add_stored(coalesce(new.org_id, old.org_id),
    coalesce(files.stored_bytes(new), 0) - coalesce(files.stored_bytes(old), 0));
  return null;
end
$$;

create function wiki.count_stored() returns trigger language plpgsql as $$
begin
  perform account.add_stored(coalesce(new.org_id, old.org_id),
    coalesce(wiki.stored_bytes(new), 0) - coalesce(wiki.stored_bytes(old), 0));
  return null;
end
$$;

create trigger count_new after insert or delete on video.assets for each row execute function video.count_stored();

create trigger count_change after update of status, bytes on video.assets for each row
  when (video.stored_bytes(new) <> video.stored_bytes(old)) execute function video.count_stored();

create trigger count_new after insert or delete on files.objects for each row execute function files.count_stored();

create trigger count_change after update of deleted_at, place, byte_size on files.objects for each row
  when (files.stored_bytes(new) <> files.stored_bytes(old)) execute function files.count_stored();

create trigger count_new after insert or delete on wiki.snapshots for each row execute function wiki.count_stored();

create trigger count_change after update of size, bytes_pruned_at on wiki.snapshots for each row
  when (wiki.stored_bytes(new) <> wiki.stored_bytes(old)) execute function wiki.count_stored();
