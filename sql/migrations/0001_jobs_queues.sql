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
