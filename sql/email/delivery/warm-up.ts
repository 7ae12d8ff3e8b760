import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'email',
  'address_days',
  z.object({ local_address: z.string(), day: z.string(), sent: z.number() }),
)

/** Returns the number of days since first use in UTC. 0 if the address was never used. */
export async function getAddressAge(db: Db, address: string): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ age: z.number() }))`
    select coalesce((now() at time zone 'utc')::date - min(day), 0) as age
    from ${table.name} where local_address = ${address}`)
}

/** Returns how many of the `wanted` messages the address may send today within `cap`. */
export async function takeDailyAllowance(db: Db, address: string, wanted: number, cap: number): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ got: z.number() }))`
    select email.take_of_today(${address}, ${wanted}, ${cap}) as got`)
}
