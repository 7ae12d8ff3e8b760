import { z } from 'zod'
import { type DatabasePool, sql } from '../../db.ts'
import { getJobTable } from '../../jobs/of-org.ts'
import { type MovedTable, quoted, quotedName } from './tables.ts'

/**
 * Tables to which one statement adds rows of many organisations. Late rows of a moving organisation are skipped, not
 * rejected.
 */
const together = new Set([
  'account.requests',
  'account.request_minutes',
  'account.request_hours',
  'account.usage_daily',
  'account.log_stream_queue',
  'email.engagements',
])

const tries = 40

const nameOf = (moveId: string) => `fence_move_${moveId.replaceAll('-', '')}`

/**
 * Makes all writes to rows of an organisation fail with code MR001, except in exempt transactions. Waits for running
 * writes of each table. Can be repeated.
 */
export async function raise(
  db: DatabasePool,
  {
    moveId,
    orgId,
    tables,
    queues,
  }: {
    moveId: string
    orgId: string
    tables: readonly MovedTable[]
    queues: readonly { pool: string; schema: string }[]
  },
): Promise<void> {
  for (const table of tables) {
    // A late record of the last use is lost for this organisation only. Otherwise the statement would fail for all
    // organisations.
    const columns = table.columns.map(({ name }) => name).filter((name) => name !== 'last_used_at')
    const update = columns.length < table.columns.length ? `update of ${columns.map(quoted).join(', ')}` : 'update'
    const own = table.belongsText(orgId)
    const late = together.has(table.name) ? 'skip' : 'refuse'
    await set(db, table.name, moveId, `insert or ${update} or delete`, [moveId, orgId, own, late])
  }
  for (const queue of queues) await set(db, getJobTable(queue), moveId, 'insert', [moveId, orgId, '', 'refuse'])
}

export async function lower(db: DatabasePool, moveId: string): Promise<void> {
  const tables = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select n.nspname || '.' || c.relname as name from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid join pg_namespace as n on n.oid = c.relnamespace
    where t.tgname = ${nameOf(moveId)} and t.tgparentid = 0`)
  for (const table of tables) await set(db, table, moveId, null, [])
}

async function set(
  db: DatabasePool,
  table: string,
  moveId: string,
  events: string | null,
  args: readonly string[],
): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await db.query(sql.unsafe`
        select account.set_fence(${quotedName(table)}, ${nameOf(moveId)}, ${events}, ${sql.array([...args], 'text')})`)
      return
    } catch (error) {
      if (tried >= tries || !isLocked(error)) throw error
    }
  }
}

function isLocked(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) if ('code' in e && e.code === '55P03') return true
  return false
}
