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

-- The queue's own task that notifies a task of a dead job of it, by the name of its place.
do $$
declare
  routine regprocedure;
begin
  for routine in select oid from pg_proc where pronamespace = 'jobs'::regnamespace and prosrc like '%jobs/bury%' loop
    execute replace(pg_get_functiondef(routine), 'jobs/bury', 'queue/notify-dead');
  end loop;
end
$$;

-- Pools that serve one area have its name. The queue library's functions name their schema in their bodies.
create function pg_temp.rename_pool(pool text, area text) returns void language plpgsql as $$
declare
  former text := 'jobs_' || pool;
  queue text := 'jobs_' || area;
  routine regprocedure;
begin
  if to_regnamespace(former) is null then return; end if;
  execute format('alter schema %I rename to %I', former, queue);
  for routine in
    select oid from pg_proc where prokind = 'f' and pronamespace = queue::regnamespace and prosrc ~ format('\m%s\M', former)
  loop
    execute regexp_replace(pg_get_functiondef(routine), format('\m%s\M', former), queue, 'g');
  end loop;
  update jobs.runs set pool = area where runs.pool = rename_pool.pool;
end
$$;

select pg_temp.rename_pool('sip', 'voice'), pg_temp.rename_pool('face', 'identity');

-- What waits keeps its task, by the name that it has in its area.
create function pg_temp.rename_task(pool text, former text, name text) returns void language plpgsql as $$
begin
  if to_regclass(format('jobs_%s._private_tasks', pool)) is null then return; end if;
  execute format('update jobs_%s._private_tasks set identifier = $1 where identifier = $2', pool) using name, former;
  update jobs.runs set task = name where task = former;
end
$$;

select pg_temp.rename_task('core', 'jobs/bury', 'queue/notify-dead'),
  pg_temp.rename_task('core', 'video/end-lost-broadcasts', 'live/end-lost-broadcasts'),
  pg_temp.rename_task('core', 'video/sweep-rooms', 'rooms/sweep'),
  pg_temp.rename_task('core', 'video/sweep-rooms-air', 'rooms/sweep-broadcasts'),
  pg_temp.rename_task('live', 'video/record-broadcast', 'live/record-broadcast'),
  pg_temp.rename_task('rooms', 'video/record-room', 'rooms/record'),
  pg_temp.rename_task('rooms', 'video/prune-rooms', 'rooms/prune');
