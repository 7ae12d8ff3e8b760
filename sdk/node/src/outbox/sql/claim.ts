/**
 * Millrace stores an idempotency key for 24 hours. An attempt whose result is unknown is not repeated after this time,
 * because the repetition could be accepted a second time.
 */
const repeatableHours = 23

/** Maximum number of rows of one key per claim. */
const runLength = 20

/** Rows without a key are claimed in the order of their due time. */
const plain = `
  select o.seq, o.uncertain_since from millrace.outbox as o
  where o.state = 'waiting' and o.key is null and o.due_at <= now() and o.operation <> all (_without)
  order by o.due_at, o.seq limit _rows for update skip locked`

/** The first row of each key after the cursor. The search jumps from key to key in the index. */
const heads = `
  (select o.key, o.seq, o.due_at, 1 as n from millrace.outbox as o
   where o.state = 'waiting' and o.key is not null and o.key > _after order by o.key, o.seq limit 1)
  union all
  select next.key, next.seq, next.due_at, heads.n + 1 from heads cross join lateral (
    select o.key, o.seq, o.due_at from millrace.outbox as o
    where o.state = 'waiting' and o.key is not null and o.key > heads.key order by o.key, o.seq limit 1) as next
  where heads.n < _rows * 4`

/**
 * The next rows of these keys in their order, up to the first that cannot be claimed. Another relay can claim a part of
 * them in the meantime, so `whole` keeps only rows whose predecessors are all locked.
 */
const keyed = `
  ready as materialized (
    select h.key from heads as h
    where h.due_at <= now() and not (_strict and exists (
      select from millrace.outbox as f where f.state = 'failed' and f.key = h.key and f.seq < h.seq))
    order by h.key limit _rows),
  runs as materialized (
    select r.seq, r.rank from ready cross join lateral (
      select o.seq, row_number() over next as rank,
        bool_and(o.due_at <= now() and o.operation <> all (_without)) over next as free
      from (select w.seq, w.due_at, w.operation from millrace.outbox as w
            where w.state = 'waiting' and w.key = ready.key order by w.seq limit ${runLength}) as o
      window next as (order by o.seq)) as r
    where r.free order by r.rank, r.seq limit _rows),
  locked as materialized (
    select o.seq, o.key, o.uncertain_since from millrace.outbox as o
    where o.seq = any (array(select seq from runs)) and o.state = 'waiting' and o.due_at <= now()
    order by o.key, o.seq for update skip locked),
  whole as (
    select l.seq, l.uncertain_since
    from (select *, row_number() over (partition by key order by seq) as place from locked) as l
    join runs using (seq) where l.place = runs.rank)`

const claim = `
with recursive heads as (${heads}), plain as materialized (${plain}), ${keyed},
chosen as (select * from plain union all select * from whole),
claimed as (
  update millrace.outbox as o set claim = _claim, due_at = now() + _claim_ms * interval '1 millisecond',
    attempts = o.attempts + 1, uncertain_since = coalesce(o.uncertain_since, now())
  from chosen as c where o.seq = c.seq
  returning o.seq, o.id, o.operation, o.params, case when o.bytes <= _inline_bytes then o.body::text end as body, o.bytes, o.key,
    o.attempts, c.uncertain_since as uncertain_before,
    coalesce(c.uncertain_since < now() - interval '${repeatableHours} hours', false) as stale)
select p.cursor, c.* from (
  select case
    when (select count(*) from ready) >= _rows then (select max(key) from ready)
    when (select count(*) from heads) >= _rows * 4 then (select max(key) from heads)
    else '' end as cursor) as p
left join claimed as c on true`

/**
 * Function that claims rows. Its settings keep the plans independent of statistics: a key with many rows is read in the
 * order of the index, and only as far as needed.
 */
export const claimFunction = `
create or replace function millrace.claim_rows(
  _claim uuid, _rows integer, _without text[], _claim_ms double precision, _after text, _inline_bytes integer,
  _strict boolean
) returns table (
  cursor text, seq bigint, id uuid, operation text, params jsonb, body text, bytes integer, key text, attempts integer,
  uncertain_before timestamptz, stale boolean
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_hashjoin = off set jit = off
as $$
#variable_conflict use_column
begin
  return query ${claim};
end
$$;
`
