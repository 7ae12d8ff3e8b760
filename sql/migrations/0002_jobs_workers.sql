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
