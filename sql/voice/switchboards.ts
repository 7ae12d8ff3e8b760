import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Worker processes that hold calls. */
export const table = defineTable(
  'voice',
  'switchboards',
  z.object({
    id: Id,
    host: z.string(),
    address: z.string(),
    capacity: z.number(),
    calls_per_second: z.number(),
    started_at: z.date(),
    seen_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

/** A worker process that holds calls. */
export type Switchboard = z.infer<typeof table.Row>

/** Registers one. Its predecessor on the same host and address cannot be alive: the address is this one's. */
export async function insert(
  db: Db,
  board: Pick<Switchboard, 'id' | 'host' | 'address' | 'capacity' | 'calls_per_second'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`
      update voice.switchboards set ended_at = now()
      where ended_at is null and host = ${board.host} and address = ${board.address}`)
    await tx.query(sql.typeAlias('void')`${table.insert(board)}`)
  })
}

/** Says that it lives; false when it was held for dead meanwhile. */
export async function beat(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update voice.switchboards set seen_at = now() where id = ${id} and ended_at is null`)
  return rowCount === 1
}

/** Holds those for dead that were not seen for the lease: from now on none of them beats again. */
export async function bury(db: Db, leaseMs: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update voice.switchboards set ended_at = now()
    where ended_at is null and seen_at < now() - make_interval(secs => ${leaseMs / 1000})`)
}

/** Says that it has ended. */
export async function end(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update voice.switchboards set ended_at = coalesce(ended_at, now()) where id = ${id}`)
}

const Sum = z.object({ boards: z.number(), capacity: z.number(), calls_per_second: z.number() })

/** What those that live can hold together. */
export async function sum(db: Db): Promise<z.infer<typeof Sum>> {
  return await db.one(sql.type(Sum)`
    select count(*) as boards, coalesce(sum(capacity), 0) as capacity,
      coalesce(sum(calls_per_second), 0)::double precision as calls_per_second
    from voice.switchboards where ended_at is null and seen_at > now() - interval '15 seconds'`)
}

/** Forgets those that ended long ago and of whose calls none is left. */
export async function prune(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from voice.switchboards as s where ended_at < now() - interval '1 day'
      and not exists (select from voice.calls where switchboard_id = s.id)`)
}
