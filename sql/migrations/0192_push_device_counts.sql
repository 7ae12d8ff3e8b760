-- The devices of an app were counted one by one. With 10 million devices, this took seconds for each page of statistics.
create table push.device_counts (
  app_id uuid not null references push.apps (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  provider text not null,
  status text not null,
  slot smallint not null,
  devices integer not null,
  primary key (app_id, provider, status, slot)
);

comment on table push.device_counts is 'Number of devices by app, provider and status. Triggers of push.installations count them.';
comment on column push.device_counts.slot is
  'Each connection to the database uses one of 256 slots, so that registrations do not wait for each other. One slot can be negative.';

create function push.add_devices(counted push.device_counts[]) returns void language sql as $$
  insert into push.device_counts as d (app_id, org_id, provider, status, slot, devices)
  select app_id, org_id, provider, status, pg_backend_pid() % 256, devices from unnest(counted) as c
  -- Devices that are deleted with their app need no count.
  where exists (select from push.apps where id = c.app_id)
  order by app_id, provider, status
  on conflict (app_id, provider, status, slot) do update set devices = d.devices + excluded.devices;
$$;

create function push.count_devices() returns trigger language plpgsql as $$
begin
  perform push.add_devices(array_agg((app_id, org_id, provider, status, 0, devices)::push.device_counts))
  from (
    select app_id, org_id, provider, status, case when tg_op = 'INSERT' then count(*) else -count(*) end as devices
    from changed group by 1, 2, 3, 4) as counted;
  return null;
end
$$;

create function push.count_changed_device() returns trigger language plpgsql as $$
begin
  perform push.add_devices(array[
    (old.app_id, old.org_id, old.provider, old.status, 0, -1)::push.device_counts,
    (new.app_id, new.org_id, new.provider, new.status, 0, 1)::push.device_counts]);
  return null;
end
$$;

create trigger count_added after insert on push.installations referencing new table as changed
  for each statement execute function push.count_devices();

create trigger count_removed after delete on push.installations referencing old table as changed
  for each statement execute function push.count_devices();

create trigger count_changed after update of app_id, provider, status on push.installations
  for each row when ((old.app_id, old.provider, old.status) is distinct from (new.app_id, new.provider, new.status))
  execute function push.count_changed_device();

select account.let_moves_pass();

-- The new triggers have locked the table for writes, so no device is missed.
insert into push.device_counts (app_id, org_id, provider, status, slot, devices)
select app_id, org_id, provider, status, 0, count(*) from push.installations group by 1, 2, 3, 4;
