import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'guard',
  'tickets',
  z.object({ id: Id, site_id: Id.nullable(), network: z.string().nullable(), spent_at: z.date() }),
  { retention: hours(24, 'spent_at') },
)

export interface Visitor {
  site_id: string
  network: string
}

/** Maximum number of tickets of a visitor within a number of seconds. Each ticket gives one token. */
export const ticketLimit = { tickets: 5, seconds: 600 }

/** Returns the time until a visitor can use a ticket in seconds. 0 means now. */
export async function getWaitSeconds(db: Db, { site_id, network }: Visitor): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select coalesce((
      select greatest(1, ceil(${ticketLimit.seconds} - extract(epoch from clock_timestamp() - spent_at)))
      from guard.tickets
      where site_id = ${site_id} and network = ${network}
        and spent_at > clock_timestamp() - ${ticketLimit.seconds} * interval '1 second'
      order by spent_at desc offset ${ticketLimit.tickets - 1} limit 1), 0)::integer as count`)
}

/** Makes other transactions that use a visitor’s tickets wait until this one ends. */
export async function lock(tx: Db, { site_id, network }: Visitor): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${advisoryLockSpaces.tickets}, hashtext(${`${site_id} ${network}`}))`)
}

/** Marks a ticket as used. Returns false if it was already used. */
export async function markUsed(tx: Db, { id, site_id, network }: Visitor & { id: string }): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    ${table.insert({ id, site_id, network })} on conflict (id) do nothing`)
  return rowCount === 1
}
