-- What a database of the former migrations lacks of what the baselines make.
--
-- Live and rooms are areas of their own: their tables lie in schemas of their own names. What Postgres keeps by reference
-- (views, foreign keys, triggers, indexes) follows by itself; bodies of functions are text, and are written anew.
create schema live;
create schema rooms;

create function pg_temp.move_table(former text, area text, name text) returns void language plpgsql as $$
declare
  routine regprocedure;
begin
  execute format('alter table video.%I set schema %I', former, area);
  if former <> name then execute format('alter table %I.%I rename to %I', area, former, name); end if;
  for routine in select oid from pg_proc where prokind = 'f' and prosrc ~ format('\mvideo\.%s\M', former) loop
    execute regexp_replace(pg_get_functiondef(routine), format('\mvideo\.%s\M', former), format('%s.%s', area, name), 'g');
  end loop;
end
$$;

select pg_temp.move_table('live_' || name, 'live', name)
from unnest('{channels,broadcasts,sessions,chunks,refusals}'::text[]) as name;
select pg_temp.move_table('room_' || name, 'rooms', name)
from unnest('{sessions,participants,dead_tokens,hosts,broadcasts,recordings,chunks}'::text[]) as name;
select pg_temp.move_table('rooms', 'rooms', 'rooms');

-- The queue's own task that notifies a task of a dead job of it has the name of its place.
create or replace function jobs.release(worker jobs.workers, blame boolean) returns integer language plpgsql
set enable_seqscan = off as $$
declare
  queue text := 'jobs_' || replace(worker.pool, '-', '_');
  released bigint[];
  buried bigint[];
begin
  -- A pool that is no more has no queue: its worker's row must not keep the lost ones of other pools on record.
  if to_regclass(format('%I._private_jobs', queue)) is null then return 0; end if;
  execute format('with freed as (
      update %I._private_jobs set attempts = greatest(attempts - 1, 0), locked_by = null, locked_at = null, flags = null,
        last_error = case when $2 then ''worker lost'' else last_error end
      where locked_by = $1 and locked_at is not null returning id)
    select coalesce(array_agg(id), ''{}'') from freed', queue)
    into released using worker.locked_by, blame;
  if cardinality(released) = 0 then
    return 0;
  end if;
  if blame then
    insert into jobs.crashes as crash (pool, job_id) select worker.pool, unnest(released)
      on conflict (pool, job_id) do update set count = crash.count + 1, at = now()
      where crash.started_by = worker.locked_by;
    select coalesce(array_agg(job_id), '{}') into buried
      from jobs.crashes where pool = worker.pool and job_id = any (released) and count >= 3;
    execute format('with dead as (
        update %1$I._private_jobs set attempts = max_attempts, last_error = ''its worker died 3 times while it ran''
        where id = any ($1) returning id, task_id, payload)
      select jobs_core.add_job(''queue/notify-dead'', json_build_object(''payload'', json_build_object(
        ''task'', (select identifier from %1$I._private_tasks where id = dead.task_id), ''envelope'', dead.payload,
        ''job'', $2 || '':'' || dead.id)))
      from dead', queue) using buried, worker.pool;
  end if;
  perform jobs.wake(queue, cardinality(released));
  return cardinality(released);
end
$$;

-- Pools that serve one area have its name. The queue library's functions name their schema in their bodies.
create function pg_temp.rename_pool(pool text, area text) returns void language plpgsql as $$
declare
  former text := 'jobs_' || pool;
  queue text := 'jobs_' || area;
  routine regprocedure;
  tables regclass;
begin
  for tables in select attrelid::regclass from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'jobs'::regnamespace and relkind = 'r' and attname = 'pool'
  loop
    execute format('update %s set pool = $1 where pool = $2', tables) using area, pool;
  end loop;
  if to_regnamespace(former) is null then return; end if;
  execute format('alter schema %I rename to %I', former, queue);
  for routine in
    select oid from pg_proc where prokind = 'f' and pronamespace = queue::regnamespace and prosrc ~ format('\m%s\M', former)
  loop
    execute regexp_replace(pg_get_functiondef(routine), format('\m%s\M', former), queue, 'g');
  end loop;
end
$$;

select pg_temp.rename_pool('sip', 'voice'), pg_temp.rename_pool('face', 'identity');

-- What waits keeps its task, by the name that it has in its area.
create function pg_temp.rename_task(pool text, former text, name text) returns void language plpgsql as $$
declare
  tables regclass;
begin
  for tables in select attrelid::regclass from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'jobs'::regnamespace and relkind = 'r' and attname = 'task'
  loop
    execute format('update %s set task = $1 where task = $2', tables) using name, former;
  end loop;
  if to_regclass(format('jobs_%s._private_tasks', pool)) is null then return; end if;
  execute format('update jobs_%s._private_tasks set identifier = $1 where identifier = $2', pool) using name, former;
end
$$;

select pg_temp.rename_task('core', 'jobs/bury', 'queue/notify-dead'),
  pg_temp.rename_task('core', 'video/end-lost-broadcasts', 'live/end-lost-broadcasts'),
  pg_temp.rename_task('core', 'video/sweep-rooms', 'rooms/sweep'),
  pg_temp.rename_task('core', 'video/sweep-rooms-air', 'rooms/sweep-broadcasts'),
  pg_temp.rename_task('live', 'video/record-broadcast', 'live/record-broadcast'),
  pg_temp.rename_task('rooms', 'video/record-room', 'rooms/record'),
  pg_temp.rename_task('rooms', 'video/prune-rooms', 'rooms/prune');

-- Added `not valid` by the former migrations.
alter table live.channels validate constraint live_channels_visibility;
