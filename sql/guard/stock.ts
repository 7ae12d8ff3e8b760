import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'guard',
  'stock',
  z.object({
    id: z.number(),
    nonce: z.string(),
    checks: z.string(),
    ks: z.string(),
    answer_hash: z.string(),
    minted_at: z.date(),
  }),
)

export type NewPuzzle = Omit<z.infer<typeof table.Row>, 'id' | 'minted_at'>

export async function insertMany(db: Db, puzzles: readonly NewPuzzle[]): Promise<void> {
  const rows = puzzles.map(({ nonce, checks, ks, answer_hash }) => ({ nonce, checks, ks, answer_hash }))
  await db.query(sql.typeAlias('void')`
    insert into guard.stock (nonce, checks, ks, answer_hash)
    select nonce, checks, ks, answer_hash from json_populate_recordset(null::guard.stock, ${JSON.stringify(rows)}::json)`)
}

/** Minimum and maximum size of the stock. */
export interface StockLimits {
  low: number
  high: number
}

const Level = z.object({ stock: z.number(), demand: z.number() })

/** Time over which demand is measured, in milliseconds. */
const demandMs = 10 * 60_000

/**
 * Returns the number of puzzles in stock and the number of challenges of the last ten minutes, each counted up to the
 * high mark.
 */
async function level(db: Db, high: number): Promise<z.infer<typeof Level>> {
  const since = firstIdAt(new Date(Date.now() - demandMs))
  return await db.one(sql.type(Level)`
    select
      (select count(*) from (select from guard.stock limit ${high}) as s) as stock,
      (select count(*) from (select from guard.challenges where id >= ${since} limit ${high}) as c) as demand`)
}

/**
 * Number of puzzles missing from the target size. The target size is the demand of the last ten minutes, limited by the
 * two marks.
 */
export interface Shortage {
  missing: number
  /** True if less than half of the target size is left. The stock is then refilled in one run. */
  low: boolean
}

export async function getShortage(db: Db, { low, high }: StockLimits): Promise<Shortage> {
  const { stock, demand } = await level(db, Math.max(low, high))
  const wanted = Math.max(low, Math.min(high, demand))
  return { missing: wanted - stock, low: stock * 2 < wanted }
}

export async function count(db: Db): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`select count(*) as count from guard.stock`)
}

/** Deletes puzzles created before a time, because many people may have seen them since. */
export async function removeOld(db: Db, before: Date): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from guard.stock where id = any(array(
      select id from guard.stock where minted_at < ${before.toISOString()} for update skip locked))`)
  return rowCount
}
