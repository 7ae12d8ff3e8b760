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

-- As before, and by the index: a table that was filled since its last analyze would be read whole by what is known of it.
create or replace function jobs.release(worker jobs.workers, blame boolean) returns integer language plpgsql
set enable_seqscan = off as $$
declare
  queue text := 'jobs_' || replace(worker.pool, '-', '_');
  released bigint[];
  buried bigint[];
begin
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
      select jobs_core.add_job(''jobs/bury'', json_build_object(''payload'', json_build_object(
        ''task'', (select identifier from %1$I._private_tasks where id = dead.task_id), ''envelope'', dead.payload,
        ''job'', $2 || '':'' || dead.id)))
      from dead', queue) using buried, worker.pool;
  end if;
  perform pg_notify('jobs:insert', json_build_object('count', cardinality(released))::text);
  return cardinality(released);
end
$$;

-- Releases the jobs of one worker at most: that is gone (its lock is free), silent (no beat within the lease), or was lost
-- and has fetched once more since. A living worker's row is only looked at: held, it would keep its beats waiting for as
-- long as the release takes, and all of the fleet would think itself lost. To be called until it finds none.
create or replace function jobs.sweep(lease interval)
returns table (lost_worker text, pool_name text, released integer, reason text) language plpgsql as $$
declare
  seen jobs.workers;
  worker jobs.workers;
  gone boolean;
begin
  for seen in select * from jobs.workers as w where w.state = 'alive' order by w.seen_at loop
    gone := pg_try_advisory_xact_lock(7723, seen.lock_key);
    continue when not gone and seen.seen_at > now() - lease;
    select * into worker from jobs.workers as w
      where w.id = seen.id and w.state = 'alive' and (gone or w.seen_at <= now() - lease) for update skip locked;
    continue when not found;
    update jobs.workers set state = 'lost' where id = worker.id;
    lost_worker := worker.locked_by;
    pool_name := worker.pool;
    released := jobs.release(worker, gone and worker.server_started_at = pg_postmaster_start_time());
    reason := case when gone then 'gone' else 'silent' end;
    return next;
    return;
  end loop;
  for worker in select * from jobs.workers as w
    where w.state = 'lost' and w.seen_at > now() - lease - interval '1 minute' order by w.seen_at for update skip locked loop
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
