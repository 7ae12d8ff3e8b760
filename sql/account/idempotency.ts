import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

/** One request with an idempotency key; `hash` stands for its content. */
export interface Ref {
  orgId: string
  operation: string
  key: string
  hash: string
  /** What the release before kept for the same request, whose key stands in the body. */
  formerHash?: string
}

const Name = z.object({ org_id: z.string(), operation: z.string(), key: z.string() })

const StoredReply = Name.extend({ hash: z.string(), reply: z.string().nullable() })

/** A stored reply: the hash of its request, and the reply as JSON text. */
export type StoredReply = z.infer<typeof StoredReply>

/** Requests with a key, and the replies to them. */
export const table = defineTable('account', 'idempotency', StoredReply.extend({ created_at: z.date() }), {
  retention: hours(24, 'created_at'),
})

/** A text by which requests and rows of one key are matched. */
export const nameOf = (ref: Ref): string => JSON.stringify([ref.orgId, ref.operation, ref.key])

const nameOfRow = (row: z.infer<typeof Name>) => JSON.stringify([row.org_id, row.operation, row.key])

const types: [string, string, string, string] = ['uuid', 'text', 'text', 'text']

/** In one order, so that transactions which claim the same keys wait for each other rather than deadlock. */
const toRows = (refs: readonly Ref[]) =>
  refs
    .map((r) => [r.orgId, r.operation, r.key, r.hash])
    .sort((a, b) => (a.slice(0, 3).join('\0') < b.slice(0, 3).join('\0') ? -1 : 1))

/**
 * Claims keys for the transaction's own effect; waits while another transaction has claimed one. Returns the names of those
 * that this one claimed; the others have a stored reply.
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

/** The stored replies of these keys, by name. */
export async function find(db: Db, refs: readonly Ref[]): Promise<Map<string, StoredReply>> {
  const rows = await db.any(sql.type(StoredReply)`
    select i.org_id, i.operation, i.key, i.hash, i.reply
    from ${sql.unnest(toRows(refs), types)} as r (org_id, operation, key, hash)
    join account.idempotency as i on (i.org_id, i.operation, i.key) = (r.org_id, r.operation, r.key)
    where i.created_at >= now() - interval '24 hours'`)
  return new Map(rows.map((row) => [nameOfRow(row), row]))
}

/** Stores the replies of claimed keys. */
export async function keep(tx: Db, answers: readonly { ref: Ref; reply: string }[]): Promise<void> {
  const rows = answers.map(({ ref, reply }) => [ref.orgId, ref.operation, ref.key, reply])
  await tx.query(sql.typeAlias('void')`
    update account.idempotency as i set reply = r.reply
    from ${sql.unnest(rows, types)} as r (org_id, operation, key, reply)
    where (i.org_id, i.operation, i.key) = (r.org_id, r.operation, r.key)`)
}

/** Releases claimed keys whose requests were refused. */
export async function release(tx: Db, refs: readonly Ref[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.idempotency as i using ${sql.unnest(toRows(refs), types)} as r (org_id, operation, key, hash)
    where (i.org_id, i.operation, i.key) = (r.org_id, r.operation, r.key)`)
}

/** Releases a key whose request came to nothing after its commit, unless it stands for another request by now. */
export async function releaseAnswered(db: Db, ref: Ref, reply: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from account.idempotency
    where (org_id, operation, key) = (${ref.orgId}, ${ref.operation}, ${ref.key}) and reply = ${reply}`)
}
