-- A table whose row type the parsed body of a function uses cannot be altered in the newest minor releases of Postgres; bodies
-- that are text leave it free.
create or replace function video.stored_bytes(asset video.assets) returns bigint language sql immutable as $$
  select case when asset.status in ('aborted', 'failed', 'deleted') then 0 else asset.bytes end
$$;

create or replace function files.stored_bytes(object files.objects) returns bigint language sql immutable as $$
  select case when object.deleted_at is not null or object.place = 'gone' then 0 else object.byte_size end
$$;

create or replace function wiki.stored_bytes(snapshot wiki.snapshots) returns bigint language sql immutable as $$
  select coalesce(snapshot.size, 0)
$$;
