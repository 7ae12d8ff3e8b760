import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Workers that hold calls, by their ID in `jobs.workers`. */
export const table = defineTable(
  'voice',
  'switchboards',
  z.object({
    id: Id,
    address: z.string(),
    capacity: z.number(),
    calls_per_second: z.number(),
    started_at: z.date(),
  }),
  {
    retention: days(1, 'started_at', {
      which: 'without a worker and without calls',
      where: sql.fragment`
      not exists (select from jobs.workers as w where w.id = old.id)
      and not exists (select from voice.calls where switchboard_id = old.id)`,
    }),
  },
)

export type Switchboard = z.infer<typeof table.Row>

export const hasLease = lease(sql.fragment`s.id`)

export async function insert(
  db: Db,
  board: Pick<Switchboard, 'id' | 'address' | 'capacity' | 'calls_per_second'>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`${table.insert(board)}`)
}

const Sum = z.object({ boards: z.number(), capacity: z.number(), calls_per_second: z.number() })

export async function readCapacity(db: Db): Promise<z.infer<typeof Sum>> {
  return await db.one(sql.type(Sum)`
    select count(*) as boards, coalesce(sum(capacity), 0) as capacity,
      coalesce(sum(calls_per_second), 0)::double precision as calls_per_second
    from voice.switchboards as s where ${hasLease}`)
}
