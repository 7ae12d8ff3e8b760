import { describe } from '#lib/errors.ts'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import { type Source, sources } from './sources.ts'

/** Yesterday and today. Yesterday is included so that the last hour of a day is counted. */
const days = sql.fragment`
  (select day, day::timestamp at time zone 'utc' as since, (day + 1)::timestamp at time zone 'utc' as until,
    account.first_id_of(day) as first_id, account.first_id_of(day + 1) as end_id
  from (select (now() at time zone 'utc')::date - n as day from generate_series(0, 1) as n) as of) as d`

/** Overwrites the amounts of yesterday and today, so that running it again changes nothing. */
async function overwrite(db: Db, { metric, rows, partsOnly = undefined }: Source): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into account.usage_daily as u (org_id, day, metric, dimension, amount)
    select s.org_id, d.day, ${metric}, coalesce(s.part, ''), round(sum(s.amount))::bigint
    from ${days}, lateral (${rows}) as s (org_id, part, amount)
    join account.orgs as o on o.id = s.org_id
    group by grouping sets ((s.org_id, d.day, s.part), (s.org_id, d.day))
    having ${partsOnly ? sql.fragment`s.part is not null` : sql.fragment`s.part is not null or grouping(s.part) = 1`}
    order by 1, 2, 4
    on conflict (org_id, metric, dimension, day) do update set amount = excluded.amount where u.amount <> excluded.amount`)
}

async function raisePeaks(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into account.usage_daily as u (org_id, day, metric, amount)
    select org_id, (now() at time zone 'utc')::date, metric, amount from (
      select org_id, 'storage.bytes' as metric, bytes as amount from account.storage where bytes > 0
      union all
      select org_id, 'video.stored', round(sum(duration_seconds) / 60)::bigint from video.assets
      where status = 'ready' and duration_seconds is not null group by org_id) as peak
    order by 1, 3
    on conflict (org_id, metric, dimension, day) do update set amount = excluded.amount where u.amount < excluded.amount`)
}

/**
 * Aggregates the tables of the areas, one statement per metric. If a metric fails, the others are still aggregated. The
 * call then fails at the end.
 */
export async function rollUp(db: DatabasePool): Promise<void> {
  const failed: { metric: string; error: unknown }[] = []
  const attempt = async (metric: string, work: () => Promise<void>) =>
    await work().catch((error: unknown) => failed.push({ metric, error }))
  for (const source of sources) await attempt(source.metric, () => overwrite(db, source))
  await attempt('peaks', () => raisePeaks(db))
  if (failed.length === 0) return
  throw new AggregateError(
    failed.map(({ error }) => error),
    failed.map(({ metric, error }) => `${metric}: ${describe(error)}`).join('; '),
  )
}
