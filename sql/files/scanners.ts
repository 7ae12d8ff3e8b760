import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'files',
  'scanners',
  z.object({
    name: z.string(),
    state: z.enum(['up', 'away']),
    engine: z.string().nullable(),
    signature_version: z.string().nullable(),
    signatures: z.enum(['official', 'test']).nullable(),
  }),
  { retention: days(1, 'seen_at') },
)

export const Scanner = table.Row

export type Scanner = z.infer<typeof Scanner>

export async function upsert(db: Db, scanner: Scanner): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert(scanner)}
    on conflict (name) do update set state = excluded.state, seen_at = now(),
      engine = coalesce(excluded.engine, files.scanners.engine),
      signature_version = coalesce(excluded.signature_version, files.scanners.signature_version),
      signatures = coalesce(excluded.signatures, files.scanners.signatures)`)
}

const isRecent = sql.fragment`seen_at > now() - interval '20 s'`

export async function list(db: Db): Promise<readonly Scanner[]> {
  return await db.any(sql.type(Scanner)`
    select ${table.columns()} from files.scanners where ${isRecent} order by name`)
}

/** Returns the other loaded sets of signatures. Hosts download signatures at different times. */
export const otherSets = (version: string) => sql.fragment`
  select signature_version from files.scanners
  where state = 'up' and signature_version <> ${version} and ${isRecent}`
