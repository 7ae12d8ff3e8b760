import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Rounds in which unconfirmed contacts are asked to confirm. */
export const table = defineTable(
  'email',
  'reconfirmations',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id,
    domain_id: Id,
    from_email: z.string(),
    from_name: z.string().nullable(),
    subject: z.string(),
    html: z.string(),
    text: z.string().nullable(),
    asked: z.number(),
    after_id: Id.nullable(),
    stopped: z.string().nullable(),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

/** A round in which unconfirmed contacts are asked to confirm. */
export type Reconfirmation = z.infer<typeof table.Row>

/** Begins a round. */
export async function insert(
  tx: Db,
  round: Omit<Reconfirmation, 'asked' | 'after_id' | 'stopped' | 'created_at' | 'ended_at'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(round)}`)
}

/** A round that has not ended, locked until the transaction ends; null for any other. */
export async function lockOpen(tx: Db, id: string): Promise<Reconfirmation | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.reconfirmations where id = ${id} and ended_at is null for update`)
}

/** Writes down that a page is done. */
export async function advance(tx: Db, id: string, afterId: string, asked: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.reconfirmations set after_id = ${afterId}, asked = asked + ${asked} where id = ${id}`)
}

/** Ends a round; `stopped` says why before all were asked. */
export async function end(tx: Db, id: string, stopped: string | null): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.reconfirmations set ended_at = now(), stopped = ${stopped} where id = ${id} and ended_at is null`)
}
