import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

/** A request with an idempotency key. `hash` identifies its content. */
export interface Ref {
  orgId: string
  operation: string
  key: string
  hash: string
  /** Hash that the previous release stored for the same request. */
  formerHash?: string
}

const Name = z.object({ org_id: z.string(), operation: z.string(), key: z.string() })

const StoredReply = Name.extend({ hash: z.string(), reply: z.string().nullable() })

export type StoredReply = z.infer<typeof StoredReply>

export const table = defineTable('account', 'idempotency', StoredReply.extend({ created_at: z.date() }), {
  retention: hours(24, 'created_at'),
})

/** Returns a string that is the same for requests and rows of the same key. */
export const nameOf = (ref: Ref): string => JSON.stringify([ref.orgId, ref.operation, ref.key])

const nameOfRow = (row: z.infer<typeof Name>) => JSON.stringify([row.org_id, row.operation, row.key])

const types: [string, string, string, string] = ['uuid', 'text', 'text', 'text']

/** Sorted, so that transactions that claim the same keys wait for each other instead of deadlocking. */
const toRows = (refs: readonly Ref[]) =>
  refs
    .map((r) => [r.orgId, r.operation, r.key, r.hash])
    .sort((a, b) => (a.slice(0, 3).join('\0') < b.slice(0, 3).join('\0') ? -1 : 1))

/**
 * Claims keys for the effect of the transaction. If another transaction has claimed a key, waits for that transaction.
 * Returns the names of the claimed keys. The other keys have a stored response.
 */
export async function claim(tx: Db, refs: readonly Ref[]): Promise<Set<string>> {
  const rows = await tx.any(sql.prepared('idempotency.claim', Name)`
    insert into account.idempotency as i (org_id, operation, key, hash)
    select * from ${sql.unnest(toRows(refs), types)} as r (org_id, operation, key, hash)
    on conflict (org_id, operation, key) do update set hash = excluded.hash, reply = null, created_at = now()
      where i.created_at < now() - interval '24 hours'
    returning org_id, operation, key`)
  return new Set(rows.map(nameOfRow))
}

export async function find(db: Db, refs: readonly Ref[]): Promise<Map<string, StoredReply>> {
  const rows = await db.any(sql.type(StoredReply)`
    select i.org_id, i.operation, i.key, i.hash, i.reply
    from ${sql.unnest(toRows(refs), types)} as r (org_id, operation, key, hash)
    join account.idempotency as i on (i.org_id, i.operation, i.key) = (r.org_id, r.operation, r.key)
    where i.created_at >= now() - interval '24 hours'`)
  return new Map(rows.map((row) => [nameOfRow(row), row]))
}

export async function keep(tx: Db, answers: readonly { ref: Ref; reply: string }[]): Promise<void> {
  const rows = answers.map(({ ref, reply }) => [ref.orgId, ref.operation, ref.key, reply])
  await tx.query(sql.typeAlias('void')`
    update account.idempotency as i set reply = r.reply
    from ${sql.unnest(rows, types)} as r (org_id, operation, key, reply)
    where (i.org_id, i.operation, i.key) = (r.org_id, r.operation, r.key)`)
}

export async function release(tx: Db, refs: readonly Ref[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.idempotency as i using ${sql.unnest(toRows(refs), types)} as r (org_id, operation, key, hash)
    where (i.org_id, i.operation, i.key) = (r.org_id, r.operation, r.key)`)
}

/** Releases a key whose request failed after its commit, unless another request has claimed the key since. */
export async function releaseFailedReply(db: Db, ref: Ref, reply: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from account.idempotency
    where (org_id, operation, key) = (${ref.orgId}, ${ref.operation}, ${ref.key}) and reply = ${reply}`)
}
