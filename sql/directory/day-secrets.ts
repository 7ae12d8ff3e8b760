import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Secret with which viewers are hashed on one day (UTC). Deleted one day after this day. */
export const table = defineTable('directory', 'day_secrets', z.object({ day: z.string(), secret: z.string() }), {
  retention: calendarDays(1, 'day'),
})

const DaySecret = table.Row

const today = sql.fragment`(now() at time zone 'UTC')::date`
const columns = sql.fragment`day::text, secret`

/** Returns the secret of the current day. The first call of the day creates it. */
export async function getTodaysSecret(tx: Db): Promise<z.infer<typeof DaySecret>> {
  const known = await tx.maybeOne(sql.prepared('day_secrets.today', DaySecret)`
    select ${columns} from directory.day_secrets where day = ${today}`)
  if (known) return known
  await tx.query(sql.typeAlias('void')`
    insert into directory.day_secrets (day) values (${today}) on conflict do nothing`)
  return await tx.one(sql.type(DaySecret)`select ${columns} from directory.day_secrets where day = ${today}`)
}
