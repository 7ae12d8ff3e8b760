/** Views that the application reads, and functions that retry or discard a row. */
export const readers = `
create or replace view millrace.failures as
select id, operation, params, body, key, status, code, message, details, failed_at as at, attempts, enqueued_at
from millrace.outbox where state = 'failed';

create or replace view millrace.waiting as
select id, operation, params, key, state, send_at, due_at, attempts, status, code, message, enqueued_at
from millrace.outbox where state <> 'failed';

create or replace view millrace.lag as
select
  count(*) filter (where state = 'waiting') as waiting,
  count(*) filter (where state = 'waiting' and claim is not null and due_at > now()) as in_flight,
  count(*) filter (where state = 'waiting' and attempts > 0 and claim is null) as retrying,
  count(*) filter (where state = 'scheduled' and send_at > now()) as scheduled,
  count(*) filter (where state = 'failed') as failed,
  coalesce(extract(epoch from now() - min(send_at) filter (where state <> 'failed' and send_at <= now())), 0)::double precision as seconds,
  (select count(*) from millrace.relays where seen_at > now() - interval '30 seconds') as relays,
  (select max(problem) from millrace.relays where seen_at > now() - interval '30 seconds') as problem
from millrace.outbox;

create or replace function millrace.retry(id uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
begin
  update millrace.outbox as o set state = 'waiting', due_at = clock_timestamp(), uncertain_since = null, claim = null,
    status = null, code = null, message = null, details = null, failed_at = null
  where o.id = id and o.state = 'failed';
  if not found then return false; end if;
  perform millrace.wake();
  return true;
end
$$;

create or replace function millrace.discard(id uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
begin
  delete from millrace.outbox as o
  where o.id = id and (o.state <> 'waiting' or o.claim is null and o.uncertain_since is null);
  return found;
end
$$;
`
