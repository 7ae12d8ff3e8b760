import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { hasLease } from './switchboards.ts'

/** Result of the last check of each trunk by each switchboard. */
export const table = defineTable(
  'voice',
  'trunks',
  z.object({
    switchboard_id: Id,
    name: z.string(),
    reachable: z.boolean(),
    rtt_ms: z.number().nullable(),
    last_checked_at: z.date(),
    last_error: z.string().nullable(),
  }),
)

export type Trunk = z.infer<typeof table.Row>

export async function note(
  db: Db,
  trunk: Pick<Trunk, 'switchboard_id' | 'name' | 'reachable' | 'rtt_ms' | 'last_error'>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into voice.trunks (switchboard_id, name, reachable, rtt_ms, last_error, last_checked_at)
    values (${trunk.switchboard_id}, ${trunk.name}, ${trunk.reachable}, ${trunk.rtt_ms}, ${trunk.last_error}, now())
    on conflict (switchboard_id, name) do update set reachable = excluded.reachable, rtt_ms = excluded.rtt_ms,
      last_error = excluded.last_error, last_checked_at = excluded.last_checked_at`)
}

const TrunkState = table.Row.omit({ switchboard_id: true })

/**
 * Returns the last check of each trunk by a live switchboard. A trunk is reachable if at least one switchboard reaches
 * it.
 */
export async function latest(db: Db): Promise<readonly z.infer<typeof TrunkState>[]> {
  return await db.any(sql.type(TrunkState)`
    select distinct on (t.name) ${getColumns(TrunkState, 't')} from voice.trunks as t
    join voice.switchboards as s on s.id = t.switchboard_id
    where ${hasLease}
    order by t.name, t.reachable desc, t.last_checked_at desc`)
}
