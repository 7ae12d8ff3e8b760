import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

const Hashes = z.array(z.object({ hash: z.string(), categories: z.array(z.string()) }))

export const table = defineTable(
  'trust',
  'confirmations',
  z.object({ prefix: z.number(), hashes: Hashes, expires_at: z.date() }),
  { retention: hours(0, 'expires_at') },
)

export type Confirmation = Omit<z.infer<typeof table.Row>, 'expires_at'>

export async function findValid(db: Db, prefixes: readonly number[]): Promise<readonly Confirmation[]> {
  return await db.any(sql.type(table.Row.omit({ expires_at: true }))`
    select prefix, hashes from trust.confirmations
    where prefix = any (${sql.array([...prefixes], 'int4')}) and expires_at > now()`)
}

export async function put(db: Db, found: readonly Confirmation[], seconds: number): Promise<void> {
  const expires_at = new Date(Date.now() + seconds * 1000).toISOString()
  await db.query(sql.typeAlias('void')`
    ${table.insertMany(found.map((one) => ({ ...one, expires_at })))}
    on conflict (prefix) do update set hashes = excluded.hashes, expires_at = excluded.expires_at`)
}
