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

-- Wakes the workers of a queue for jobs that are due without having been added.
create function jobs.wake(queue text, jobs integer) returns void language sql as $$
  select pg_notify('jobs:insert:' || queue, json_build_object('r', random(), 'count', jobs)::text)
$$;

-- All workers of a process share its connections: `millrace.worker` holds their names, with commas between.
create function jobs.is_of_session(worker text) returns boolean language sql stable as $$
  select coalesce(worker = any (string_to_array(current_setting('millrace.worker', true), ',')), false)
$$;

create or replace function jobs.fence() returns trigger language plpgsql as $$
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

create or replace function jobs.install_fence(queue text) returns void language plpgsql as $$
begin
  execute format('create or replace trigger fence before delete on %I._private_jobs for each row
    when (old.flags is not null
      or (old.locked_by = any (string_to_array(current_setting(''millrace.worker'', true), '',''))) is not true)
    execute function jobs.fence()', queue);
end
$$;

-- A release wakes the workers of the queue whose jobs it releases.
do $$
begin
  execute replace(pg_get_functiondef('jobs.release'::regproc),
    'pg_notify(''jobs:insert'', json_build_object(''count'', cardinality(released))::text)',
    'jobs.wake(queue, cardinality(released))');
  if pg_get_functiondef('jobs.release'::regproc) not like '%jobs.wake(%' then
    raise exception 'jobs.release notifies in a way that is not known here.';
  end if;
end
$$;
