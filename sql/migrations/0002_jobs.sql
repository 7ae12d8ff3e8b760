create schema jobs;

comment on schema jobs is 'What the fleet adds to the queues (schemas jobs_<pool>): workers, fencing, crashes, runs.';

-- One row per worker process and pool. While its process lives, a session holds the advisory lock (7723, lock_key).
create table jobs.workers (
  id uuid primary key,
  pool text not null,
  locked_by text not null unique,
  lock_key integer not null generated always as identity,
  host text not null,
  pid integer not null,
  concurrency integer not null,
  state text not null default 'alive' check (state in ('alive', 'stopped', 'lost')),
  server_started_at timestamptz not null default pg_postmaster_start_time(),
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

comment on column jobs.workers.locked_by is 'The name under which this worker locks jobs in its pool''s queue.';

create index workers_state on jobs.workers (state, seen_at);

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

create table jobs.runs (
  id uuid primary key,
  task text not null,
  pool text not null,
  job_id bigint,
  org_id uuid,
  subject uuid,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  attempt integer not null default 0,
  attempt_token uuid,
  progress real not null default 0 check (progress between 0 and 1),
  cancel_requested_at timestamptz,
  asked boolean not null default false,
  result jsonb,
  error text,
  request_id text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);

comment on table jobs.runs is 'The lasting record of each job of a tracked task; subject is the row the work is about.';

create index runs_subject on jobs.runs (subject, task);
create index runs_job on jobs.runs (pool, job_id) where state = 'waiting';
create index runs_open on jobs.runs (pool, state, created_at) where state in ('waiting', 'running');
create index runs_finished on jobs.runs (finished_at) where finished_at is not null;

create table jobs.attempts (
  run_id uuid not null references jobs.runs (id) on delete cascade,
  attempt integer not null,
  worker text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text check (outcome in ('done', 'retry', 'failed', 'later', 'handed_back', 'cancelled', 'lost')),
  error text,
  primary key (run_id, attempt)
);

-- The queue completes a job by its id alone. This trigger lets a worker's completion through only while that worker still
-- holds the job, and turns the completion of a job that was marked `later` into its return to the queue at that time, with
-- its attempt given back: one atomic statement, whatever crashes around it.
create function jobs.fence() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('millrace.worker', true), '') = '' then
    return old;
  end if;
  if old.locked_by is distinct from current_setting('millrace.worker', true) then
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
    when (old.flags is not null or old.locked_by is distinct from current_setting(''millrace.worker'', true))
    execute function jobs.fence()', queue);
end
$$;

-- Releases every job that the worker holds, with its attempt given back; counts a crash where the worker is to blame. A job
-- that was running in three such deaths fails for good, and `jobs/bury` tells its task.
create function jobs.release(worker jobs.workers, blame boolean) returns integer language plpgsql as $$
declare
  queue text := 'jobs_' || replace(worker.pool, '-', '_');
  released bigint[];
  buried bigint[];
begin
  execute format('with freed as (
      update %I._private_jobs set attempts = greatest(attempts - 1, 0), locked_by = null, locked_at = null, flags = null,
        last_error = case when $2 then ''worker lost'' else last_error end
      where locked_by = $1 returning id)
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
      select jobs_core.add_job(''jobs/bury'', json_build_object(''payload'', json_build_object(
        ''task'', (select identifier from %1$I._private_tasks where id = dead.task_id), ''envelope'', dead.payload)))
      from dead', queue) using buried;
  end if;
  perform pg_notify('jobs:insert', json_build_object('count', cardinality(released))::text);
  return cardinality(released);
end
$$;

-- Finds workers that are gone (their lock is free) or silent (no beat within the lease) and releases their jobs. A worker
-- whose lock fell with the server's own restart is not to blame, nor is a frozen one.
create function jobs.sweep(lease interval) returns table (lost_worker text, pool_name text, released integer, reason text)
language plpgsql as $$
declare
  worker jobs.workers;
  gone boolean;
begin
  for worker in select * from jobs.workers as w where w.state = 'alive' order by w.seen_at for update skip locked loop
    gone := pg_try_advisory_xact_lock(7723, worker.lock_key);
    continue when not gone and worker.seen_at > now() - lease;
    update jobs.workers set state = 'lost' where id = worker.id;
    lost_worker := worker.locked_by;
    pool_name := worker.pool;
    released := jobs.release(worker, gone and worker.server_started_at = pg_postmaster_start_time());
    reason := case when gone then 'gone' else 'silent' end;
    return next;
  end loop;
  -- A silent worker may fetch once more before it learns that it is lost. Looked for during a minute only: nothing indexes
  -- jobs by their holder, as that would cost every claim.
  for worker in select * from jobs.workers as w
    where w.state = 'lost' and w.seen_at > now() - lease - interval '1 minute' order by w.seen_at for update skip locked loop
    released := jobs.release(worker, false);
    continue when released = 0;
    lost_worker := worker.locked_by;
    pool_name := worker.pool;
    reason := 'late';
    return next;
  end loop;
end
$$;
