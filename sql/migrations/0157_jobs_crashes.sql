alter table jobs.crashes add column crowded integer not null default 0;

comment on column jobs.crashes.crowded is 'Deaths in which more than 50 jobs ran, so that a single job is probably not the cause.';

-- Releases the jobs of a worker. A job fails for good after 3 deaths of its worker, or after 100 if more than 50 jobs ran in
-- the worker each time: the pool of HTTP calls runs 512 jobs at once.
create or replace function jobs.release(worker jobs.workers, blame boolean) returns integer language plpgsql
set enable_seqscan = off as $$
declare
  queue text := 'jobs_' || replace(worker.pool, '-', '_');
  released bigint[];
  buried bigint[];
  suspects integer;
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
    with counted as (
      insert into jobs.crashes as crash (pool, job_id) select worker.pool, unnest(released)
        on conflict (pool, job_id) do update set count = crash.count + 1, at = now()
        where crash.started_by = worker.locked_by
        returning count)
    select count(*) filter (where count > 1) into suspects from counted;
    if suspects > 50 then
      update jobs.crashes set crowded = crowded + 1
        where pool = worker.pool and job_id = any (released) and started_by = worker.locked_by and count > 1;
    end if;
    select coalesce(array_agg(job_id), '{}') into buried
      from jobs.crashes where pool = worker.pool and job_id = any (released) and (count - crowded >= 3 or count >= 100);
    execute format('with dead as (
        update %1$I._private_jobs set attempts = max_attempts, last_error = ''its worker died ''
          || (select count from jobs.crashes where pool = $2 and job_id = id) || '' times while it ran''
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
