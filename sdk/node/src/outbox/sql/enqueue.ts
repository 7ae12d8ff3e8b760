import { awakeLock, channel } from './tables.ts'

/** Functions that add rows. They run with the rights of their owner, with a fixed search path. */
export const enqueueFunctions = `
create or replace function millrace.nearest_operations(wanted text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  with letters (part) as (
    select distinct substr(lower(left(wanted, 100)), i, 3) from generate_series(1, least(length(wanted), 100)) as i
  ), near as (
    select o.name, count(*) filter (where strpos(o.name, l.part) > 0) * 1000 - length(o.name) as score
    from millrace.operations as o cross join letters as l where length(l.part) = 3
    group by o.name order by score desc, o.name limit 3
  )
  select string_agg(name, ', ' order by score desc, name) from near
$$;

-- Called only by functions with a fixed search path. It has none of its own, because setting one takes longer than the rest.
create or replace function millrace.wake() returns void language plpgsql as $$
begin
  -- The lock is free only if no relay polls. Then NOTIFY wakes one. NOTIFY makes commits wait for each other.
  -- The lock is returned immediately. Held until the end of a long transaction, it would keep the relay from taking it.
  if (case when pg_catalog.pg_try_advisory_lock_shared(${awakeLock})
    then pg_catalog.pg_advisory_unlock_shared(${awakeLock}) else false end)
  then
    perform pg_catalog.pg_notify('${channel}', '');
  end if;
end
$$;

create or replace function millrace.check_params(operation text, names text[], params jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  given text[];
  name text;
begin
  if jsonb_typeof(params) <> 'object' then
    raise exception 'millrace.enqueue: params must be a JSON object.' using errcode = '22023';
  end if;
  select coalesce(array_agg(k order by k), '{}') into given from jsonb_object_keys(params) as k;
  if given <> (select coalesce(array_agg(n order by n), '{}') from unnest(names) as n) then
    raise exception 'millrace.enqueue: params of % must contain exactly: %.', operation,
      case when names = '{}' then 'nothing' else array_to_string(names, ', ') end using errcode = '22023';
  end if;
  foreach name in array names loop
    if jsonb_typeof(params -> name) <> 'string' or length(params ->> name) not between 1 and 255
      or params ->> name in ('.', '..') then
      raise exception 'millrace.enqueue: params.% must be text of 1 to 255 characters.', name using errcode = '22023';
    end if;
  end loop;
end
$$;

create or replace function millrace.check_body(operation text, rule text, max_bytes integer, body jsonb) returns integer
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  bytes integer := coalesce(octet_length(body::text), 0);
begin
  if body is null then
    if rule = 'required' then
      raise exception 'millrace.enqueue: % needs a body.', operation using errcode = '22023';
    end if;
    return 0;
  end if;
  if jsonb_typeof(body) <> 'object' then
    raise exception 'millrace.enqueue: the body must be a JSON object.' using errcode = '22023';
  end if;
  if rule = 'none' and body <> '{}' then
    raise exception 'millrace.enqueue: % does not accept a body.', operation using errcode = '22023';
  end if;
  if body ? 'idempotency_key' or body ? 'idempotencyKey' then
    raise exception 'millrace.enqueue: the body cannot contain an idempotency key, because the ID of the row is the key.'
      using errcode = '22023';
  end if;
  if rule <> 'none' and bytes > max_bytes then
    raise exception 'millrace.enqueue: the body of % must be at most % bytes, but has %.', operation, max_bytes, bytes
      using errcode = '54000';
  end if;
  return bytes;
end
$$;

create or replace function millrace.enqueue(
  operation text, body jsonb default null, params jsonb default null, key text default null, at timestamptz default null
) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  known millrace.operations%rowtype;
  bytes integer;
  made uuid;
begin
  select * into known from millrace.operations as o where o.name = operation;
  if not found then
    select * into known from millrace.operations as o where o.alias = operation;
  end if;
  if not found then
    raise exception 'millrace.enqueue: unknown operation %.', coalesce(quote_literal(left(operation, 100)), 'null')
      using errcode = '22023', hint = coalesce('Similar operations: ' || millrace.nearest_operations(operation), 'Name an operation.');
  end if;
  perform millrace.check_params(operation, known.params, coalesce(params, '{}'));
  bytes := millrace.check_body(operation, known.body, known.max_bytes, body);
  if key is not null and length(key) not between 1 and 255 then
    raise exception 'millrace.enqueue: key must have 1 to 255 characters.' using errcode = '22023';
  end if;
  if at is not null and (not isfinite(at) or at > clock_timestamp() + interval '366 days') then
    raise exception 'millrace.enqueue: at must be a time within 366 days.' using errcode = '22023';
  end if;
  insert into millrace.outbox (operation, params, body, bytes, key, state, send_at, due_at)
  values (known.name, coalesce(params, '{}'), case when known.body <> 'none' then body end, bytes, key,
    case when at > clock_timestamp() then 'scheduled' else 'waiting' end, greatest(at, clock_timestamp()), greatest(at, clock_timestamp()))
  returning outbox.id into made;
  if at is null or at <= clock_timestamp() then perform millrace.wake(); end if;
  return made;
end
$$;
`
