import { z } from 'zod'
import { type DatabasePool, type Db, sql } from '../../db.ts'

export const daysAhead = 3

export async function makeDays(db: Db): Promise<void> {
  await db.query(sql.type(z.object({ make_request_days: z.unknown() }))`select account.make_request_days(${daysAhead})`)
}

const Day = z.object({ name: z.string(), state: z.enum(['attached', 'detaching', 'detached']) })

/**
 * Removes partitions that ended more than `kept` days ago. They are detached concurrently, then dropped. If a run is
 * interrupted, the next run continues.
 */
export async function dropDays(db: DatabasePool, kept: number): Promise<number> {
  const days = await db.any(sql.type(Day)`
    select c.relname as name,
      case when i.inhrelid is null then 'detached' when i.inhdetachpending then 'detaching' else 'attached' end as state
    from pg_class as c left join pg_inherits as i on i.inhrelid = c.oid
    where c.relnamespace = 'account'::regnamespace and c.relkind = 'r' and c.relname ~ '^requests_[0-9]{8}$'
      and to_date(right(c.relname, 8), 'YYYYMMDD') < (now() at time zone 'utc')::date - ${kept}::integer
    order by 1`)
  for (const { name, state } of days) {
    const partition = sql.identifier(['account', name])
    if (state === 'attached') {
      await db.query(sql.typeAlias('void')`alter table account.requests detach partition ${partition} concurrently`)
    }
    if (state === 'detaching') {
      await db.query(sql.typeAlias('void')`alter table account.requests detach partition ${partition} finalize`)
    }
    await db.query(sql.typeAlias('void')`drop table ${partition}`)
  }
  return days.length
}
