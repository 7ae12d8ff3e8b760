create schema jobs;

comment on schema jobs is 'What the fleet adds to the queues (schemas jobs_<pool>): workers, fencing, crashes, runs.';

-- Wakes the workers of a queue for jobs that are due without having been added.
create function jobs.wake(queue text, jobs integer) returns void language sql as $$
  select pg_notify('jobs:insert:' || queue, json_build_object('r', random(), 'count', jobs)::text)
$$;

-- All workers of a process share its connections: `millrace.worker` holds their names, with commas between.
create function jobs.is_of_session(worker text) returns boolean language sql stable as $$
  select coalesce(worker = any (string_to_array(current_setting('millrace.worker', true), ',')), false)
$$;

-- The queue completes a job by its id alone. This trigger lets a worker's completion through only while that worker still
-- holds the job, and turns the completion of a job that was marked `later` into its return to the queue at that time, with
-- its attempt given back: one atomic statement, whatever crashes around it.
create function jobs.fence() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('millrace.worker', true), '') = '' then
    return old;
  end if;
  if not jobs.is_of_session(old.locked_by) then
    return null;
  end if;
  execute format(
    'update %I._private_jobs set attempts = greatest(attempts - 1, 0), run_at = to_timestamp(($2 ->> ''later'')::float8),
       locked_by = null, locked_at = null, flags = null where id = $1', tg_table_schema)
    using old.id, old.flags;
  return null;
end
$$;

-- The condition lets a worker's ordinary completion pass without a call: this runs for every job. Sessions that are no
-- workers (console, ingress) have no millrace.worker and are not fenced.
create function jobs.install_fence(queue text) returns void language plpgsql as $$
begin
  execute format('create or replace trigger fence before delete on %I._private_jobs for each row
    when (old.flags is not null
      or (old.locked_by = any (string_to_array(current_setting(''millrace.worker'', true), '',''))) is not true)
    execute function jobs.fence()', queue);
end
$$;

-- What a worker holds, and what has no attempt left, is found without reading the whole queue. The queue library owns its
-- tables and may make them anew, so this is asked for after each of its migrations. It looks first: `create index if not
-- exists` would wait for the table's writers, and have others wait, even where there is nothing to do.
create function jobs.index_queue(queue text) returns void language plpgsql as $$
begin
  if to_regclass(format('%I.millrace_held', queue)) is null then
    execute format('create index millrace_held on %I._private_jobs (locked_by) where locked_at is not null', queue);
  end if;
  if to_regclass(format('%I.millrace_dead', queue)) is null then
    execute format(
      'create index millrace_dead on %I._private_jobs (id) where not is_available and locked_at is null', queue);
  end if;
end
$$;

-- A queue of its own for each pool is of little use where a job of one wakes the workers of all: the queue library notifies
-- one channel, whatever the schema. Each queue's functions notify a channel of its own: `jobs:insert:<schema>`.
create function jobs.install_channel(queue text) returns void language plpgsql as $$
declare
  notifying record;
begin
  for notifying in select pg_get_functiondef(p.oid) as definition from pg_proc as p
    where p.pronamespace = queue::regnamespace and p.prokind = 'f' and p.prosrc like '%''jobs:insert''%'
  loop
    execute replace(notifying.definition, '''jobs:insert''', quote_literal('jobs:insert:' || queue));
  end loop;
  if not exists (select from pg_proc as p where p.pronamespace = queue::regnamespace
    and p.proname = 'add_jobs' and p.prosrc like '%' || quote_literal('jobs:insert:' || queue) || '%') then
    raise exception 'The functions of queue % notify in a way that is not known here.', queue;
  end if;
end
$$;

-- What operators have asked of the fleet. It holds on every host and outlives restarts.
create table jobs.pauses (
  pool text not null,
  task text not null default '',
  reason text,
  paused_by text not null,
  paused_at timestamptz not null default now(),
  primary key (pool, task)
);

comment on column jobs.pauses.task is 'Empty when the whole pool is paused.';

create table jobs.drains (
  host text primary key,
  drained_by text not null,
  drained_at timestamptz not null default now()
);

comment on table jobs.drains is 'Hosts whose workers fetch nothing until they are resumed.';

create table jobs.actions (
  id uuid primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  target text not null,
  count integer not null default 1,
  reason text
);

comment on table jobs.actions is 'What operators did: the actor is a key''s id and name, or the account that ran the command.';
comment on column jobs.actions.reason is 'Why, if the operator said so.';

create index actions_at on jobs.actions (at);

-- A paused task's jobs wait a thousand years later than they would: jobs of the future cost a queue nothing, while due ones
-- that nobody may take slow its neighbours (measured: 1,700 claims/s fell to 90). In hours, as those know no time zones.
create function jobs.parked(run_at timestamptz) returns boolean language sql immutable
  return run_at >= timestamptz '2900-01-01 00:00:00+00';

create function jobs.park(run_at timestamptz) returns timestamptz language sql immutable
  return case when jobs.parked(run_at) then run_at else run_at + interval '8766000 hours' end;

create function jobs.unpark(run_at timestamptz) returns timestamptz language sql immutable
  return case when jobs.parked(run_at) then run_at - interval '8766000 hours' else run_at end;

-- One row per worker process and pool. While its process lives, a session holds the advisory lock (7723, lock_key).
--
-- One lease says who lives: what a worker holds (jobs, channels, rooms, calls, connections to mail servers), it holds by its id in
-- this table, for as long as its row is alive and its last beat is within `lease`.
create table jobs.workers (
  id uuid primary key,
  pool text not null,
  locked_by text not null unique,
  lock_key integer not null generated always as identity,
  host text not null,
  pid integer not null,
  concurrency integer not null,
  state text not null default 'alive' check (state in ('alive', 'fenced', 'stopped', 'lost')),
  server_started_at timestamptz not null default pg_postmaster_start_time(),
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  fetches boolean not null default true,
  scratch_bytes bigint,
  loop_delay_ms real,
  lease interval not null default '10 seconds',
  missed_at timestamptz,
  ended_at timestamptz
);

comment on column jobs.workers.locked_by is 'The name under which this worker locks jobs in its pool''s queue.';
comment on column jobs.workers.state is
  'fenced: it beats, but its event loop does nothing, so that what it held is open to others until it does again.';
comment on column jobs.workers.fetches is 'False once the worker heeds a pause of its pool or a drain of its host: it begins no job.';
comment on column jobs.workers.scratch_bytes is 'Size of the disk on which a worker of a media pool keeps its copies; null where it keeps none.';
comment on column jobs.workers.loop_delay_ms is 'How late the event loop of its process was at most between its last two beats.';
comment on column jobs.workers.lease is 'How long after its last beat (seen_at) what this worker holds is still its own.';
comment on column jobs.workers.missed_at is 'When a sweep first found its lock free; null again with its next beat.';
comment on column jobs.workers.ended_at is
  'When it was seen that its lease had ended. Never while Postgres is away: what waits for somebody to come back waits from then on.';

create index workers_state on jobs.workers (state, seen_at);

-- This alone says whether a worker's lease holds: no table of what is held has a lease of its own.
create view jobs.leaseholders as
  select id from jobs.workers where state = 'alive' and seen_at + lease > clock_timestamp();

comment on view jobs.leaseholders is 'Workers whose lease holds: what they have taken is theirs.';

create function jobs.note_end() returns trigger language plpgsql as $$
begin
  new.ended_at := case when new.state <> 'alive' then coalesce(old.ended_at, clock_timestamp()) end;
  return new;
end
$$;

create trigger note_end before update of state on jobs.workers for each row
  when (old.state is distinct from new.state) execute function jobs.note_end();

-- Jobs whose worker died while it held them. From the second run on, started_by names the worker that runs the job, so
-- that a job that only waited beside the guilty one is not counted again.
create table jobs.crashes (
  pool text not null,
  job_id bigint not null,
  count integer not null default 1,
  started_by text,
  at timestamptz not null default now(),
  primary key (pool, job_id)
);

-- Releases every job that the worker holds, with its attempt given back, and wakes the queue's other workers for them; counts a
-- crash where the worker is to blame. A job that was running in three such deaths fails for good, and `queue/notify-dead` tells its
-- task. Held jobs are found by index: a table that was filled since its last analyze would be read whole by what is known of it.
create function jobs.release(worker jobs.workers, blame boolean) returns integer language plpgsql
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

-- Releases the jobs of one worker at most: that is gone (its lock is free), silent (no beat within its lease), or was lost and has
-- fetched once more since. A lock that is free says nothing where the server has started since the worker's session did; and it
-- must be free for a while, as a worker whose session broke takes it again. A living worker's row is only looked at: held, it would
-- keep its beats waiting for as long as the release takes. To be called until it finds none.
create function jobs.sweep()
returns table (lost_worker text, pool_name text, released integer, reason text) language plpgsql as $$
declare
  seen jobs.workers;
  worker jobs.workers;
  gone boolean;
begin
  for seen in select * from jobs.workers as w where w.state in ('alive', 'fenced') order by w.seen_at loop
    gone := seen.server_started_at = pg_postmaster_start_time();
    if gone then
      gone := pg_try_advisory_xact_lock(7723, seen.lock_key);
    end if;
    if gone and seen.missed_at is null then
      update jobs.workers set missed_at = clock_timestamp() where id in (
        select w.id from jobs.workers as w where w.id = seen.id and w.seen_at = seen.seen_at for update skip locked);
    end if;
    gone := gone and coalesce(seen.missed_at < clock_timestamp() - interval '300 milliseconds', false);
    continue when not gone and seen.seen_at + seen.lease > clock_timestamp();
    select * into worker from jobs.workers as w
      where w.id = seen.id and w.state in ('alive', 'fenced') and w.seen_at = seen.seen_at for update skip locked;
    continue when not found;
    update jobs.workers set state = 'lost' where id = worker.id;
    lost_worker := worker.locked_by;
    pool_name := worker.pool;
    released := jobs.release(worker, gone and worker.state = 'alive');
    reason := case when gone then 'gone' else 'silent' end;
    return next;
    return;
  end loop;
  for worker in select * from jobs.workers as w
    where w.state = 'lost' and w.seen_at > now() - w.lease - interval '1 minute' order by w.seen_at for update skip locked loop
    released := jobs.release(worker, false);
    continue when released = 0;
    lost_worker := worker.locked_by;
    pool_name := worker.pool;
    reason := 'late';
    return next;
    return;
  end loop;
end
$$;

-- Opens what some workers hold to others while their event loop does nothing. Their jobs are to blame: one of them stalls the loop.
create function jobs.fence_workers(workers uuid[]) returns void language plpgsql as $$
declare
  worker jobs.workers;
begin
  for worker in update jobs.workers as w set state = 'fenced' where w.id = any (workers) and w.state = 'alive' returning * loop
    perform jobs.release(worker, true);
  end loop;
end
$$;
