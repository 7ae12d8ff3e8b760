-- What a worker takes (channels, rooms, calls, connections to mail servers) it holds by its id, for as long as its lease holds, and
-- this alone says whether it does: no table of what is held has a lease of its own.
create view jobs.leaseholders as
  select id from jobs.workers where state = 'alive' and seen_at + lease > clock_timestamp();

comment on view jobs.leaseholders is 'Workers whose lease holds: what they have taken is theirs.';

alter table jobs.workers add column ended_at timestamptz;

comment on column jobs.workers.ended_at is
  'When it was seen that its lease had ended. Never while Postgres is away: what waits for somebody to come back waits from then on.';

update jobs.workers set ended_at = seen_at where state <> 'alive';

create function jobs.note_end() returns trigger language plpgsql as $$
begin
  new.ended_at := case when new.state <> 'alive' then coalesce(old.ended_at, clock_timestamp()) end;
  return new;
end
$$;

create trigger note_end before update of state on jobs.workers for each row
  when (old.state is distinct from new.state) execute function jobs.note_end();

-- Those of before name workers that are not in jobs.workers: their channels, rooms and calls are open to others.
alter table video.live_sessions alter column worker_id drop not null, drop column lease_until, add column given_up_at timestamptz;

update video.live_sessions set worker_id = null, given_up_at = clock_timestamp();

comment on column video.live_sessions.worker_id is 'Of jobs.workers; null while its broadcast waits for another.';
comment on column video.live_sessions.given_up_at is 'When its worker gave the channel up, with its broadcast open.';
comment on table video.live_sessions is 'Who has a channel, as long as the worker''s lease holds; of one without a row nobody has the broadcast.';
comment on column video.live_sessions.bit_rates is 'Bits a second as the worker told them last, the newest last.';

alter table video.room_hosts drop column lease_until;
alter table video.room_sessions drop column lease_until, add column assigned_at timestamptz not null default clock_timestamp();

comment on column video.room_hosts.worker_id is 'Of jobs.workers.';
comment on table video.room_sessions is 'Where rooms live, as long as the worker''s lease holds.';
comment on column video.room_sessions.assigned_at is 'When clients were told of the worker, to which the first of them has to come soon.';

alter table voice.switchboards drop column host, drop column seen_at, drop column ended_at;

comment on table voice.switchboards is 'Workers that hold calls; when the lease of one ends, another ends the dialogs of its calls.';
comment on column voice.switchboards.id is 'Of jobs.workers.';

drop function email.take_connection(uuid, text, text[], text, integer, interval, uuid, interval);
alter table email.connections drop column leased_until;

comment on table email.connections is 'SMTP connections that workers hold: so many to an MX set from one address, over all workers.';

-- Whether the worker that holds a connection has its lease: without it, what was taken for the connection is open to others.
create or replace function email.is_leased(connection uuid) returns boolean language sql stable as $$
  select exists (
    select from email.connections as c join jobs.leaseholders as w on w.id = c.worker_id where c.id = connection)
$$;

-- Takes a connection to an MX set from the first of `addresses` that may have one more; without one, `free_at` says until when
-- all are suspended, and is null where one is but full. A caller that finds it full relies on those that hold the connections:
-- each wakes the set when it ends, under the same lock, and sees what was committed before.
create function email.take_connection(
  connection uuid, wanted_pool text, addresses text[], wanted_set text, most integer, recovery interval, worker uuid)
returns table (local_address text, level integer, live integer, free_at timestamptz) language plpgsql as $$
#variable_conflict use_column
declare
  address text;
  site email.mx_sets;
  soonest timestamptz;
  is_full boolean := false;
begin
  perform pg_advisory_xact_lock(7727, hashtext(wanted_pool || ' ' || wanted_set));
  foreach address in array addresses loop
    insert into email.mx_sets (pool, local_address, mx_set) values (wanted_pool, address, wanted_set)
      on conflict (pool, local_address, mx_set) do update set used_at = now()
      returning * into site;
    if site.suspended_until > now() then
      soonest := least(soonest, site.suspended_until);
      continue;
    end if;
    level := greatest(0, site.level - floor(extract(epoch from now() - site.level_at) / extract(epoch from recovery)));
    delete from email.connections as c
      where c.pool = wanted_pool and c.local_address = address and c.mx_set = wanted_set
        and not exists (select from jobs.leaseholders as w where w.id = c.worker_id);
    select count(*) into live from email.connections as c
      where c.pool = wanted_pool and c.local_address = address and c.mx_set = wanted_set;
    if live < greatest(1, most >> least(level, 15)) then
      insert into email.connections (id, pool, local_address, mx_set, worker_id)
        values (connection, wanted_pool, address, wanted_set, worker);
      live := live + 1;
      local_address := address;
      return next;
      return;
    end if;
    is_full := true;
  end loop;
  local_address := null;
  if not is_full then free_at := soonest; end if;
  return next;
end
$$;
