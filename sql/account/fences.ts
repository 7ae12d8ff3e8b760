import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type DatabasePool, sql } from '../db.ts'
import { jobTableOf } from '../jobs/of-org.ts'
import type { MovedTable } from './move-tables.ts'
import { tableOf } from './owned-rows.ts'

/** Tables to which one statement adds rows of many organisations: what is late of one that moves is left out, not refused. */
const together = new Set([
  'account.requests',
  'account.request_minutes',
  'account.request_hours',
  'account.usage_daily',
])

/** How often a table is tried that others hold. */
const tries = 40

const nameOf = (moveId: string) => `fence_move_${moveId.replaceAll('-', '')}`

/**
 * Has everything that writes rows of an organisation fail from now on, with code MR001, unless its transaction has asked to pass. Each
 * table is waited for: what is under way in it ends before. May be asked for again.
 */
export async function raise(
  db: DatabasePool,
  { moveId, orgId, tables, queues }: {
    moveId: string
    orgId: string
    tables: readonly MovedTable[]
    queues: readonly { pool: string; schema: string }[]
  },
): Promise<void> {
  for (const table of tables) {
    // A last use that is noted late is lost, rather than everybody's with it.
    const columns = table.columns.map(({ name }) => name).filter((name) => name !== 'last_used_at')
    const update =
      columns.length < table.columns.length
        ? sql.fragment`update of ${sql.join(
            columns.map((name) => sql.identifier([name])),
            sql.fragment`, `,
          )}`
        : sql.fragment`update`
    const own = table.belongsText(orgId)
    const late = together.has(table.name) ? 'skip' : 'refuse'
    await put(db, table.name, sql.fragment`insert or ${update} or delete`, moveId, [moveId, orgId, own, late])
  }
  for (const queue of queues) await put(db, jobTableOf(queue), sql.fragment`insert`, moveId, [moveId, orgId, '', 'refuse'])
}

async function put(
  db: DatabasePool,
  table: string,
  events: FragmentSqlToken,
  moveId: string,
  args: readonly string[],
): Promise<void> {
  const literals = sql.join(args.map(sql.literalValue), sql.fragment`, `)
  await patiently(db, sql.fragment`
    create or replace trigger ${sql.identifier([nameOf(moveId)])} before ${events} on ${tableOf(table)}
    for each row execute function account.fence(${literals})`)
}

/** Takes the fence of a move away. */
export async function lower(db: DatabasePool, moveId: string): Promise<void> {
  const tables = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select n.nspname || '.' || c.relname as name from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid join pg_namespace as n on n.oid = c.relnamespace
    where t.tgname = ${nameOf(moveId)} and t.tgparentid = 0`)
  for (const table of tables)
    await patiently(db, sql.fragment`drop trigger if exists ${sql.identifier([nameOf(moveId)])} on ${tableOf(table)}`)
}

/** Runs a statement that waits for a table's writers, briefly and again: as long as it waits, all who come after it wait, too. */
async function patiently(db: DatabasePool, statement: FragmentSqlToken): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await db.transaction(async (tx) => {
        await tx.query(sql.unsafe`select set_config('lock_timeout', '300ms', true)`)
        await tx.query(sql.typeAlias('void')`${statement}`)
      })
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
