-- One lease says who lives: what a worker holds (jobs, channels, rooms, calls, connections to mail servers), it holds by its id in
-- jobs.workers, for as long as its row is alive and its last beat is within `lease`.
alter table jobs.workers add column lease interval not null default '10 seconds';

comment on column jobs.workers.lease is 'How long after its last beat (seen_at) what this worker holds is still its own.';

alter table jobs.workers add column missed_at timestamptz;

comment on column jobs.workers.missed_at is 'When a sweep first found its lock free; null again with its next beat.';

alter table jobs.workers drop constraint workers_state_check;
alter table jobs.workers add constraint workers_state_check check (state in ('alive', 'fenced', 'stopped', 'lost'));

comment on column jobs.workers.state is
  'fenced: it beats, but its event loop does nothing, so that what it held is open to others until it does again.';

drop function jobs.sweep(interval);

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
