import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

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

export type Reconfirmation = z.infer<typeof table.Row>

export async function insert(
  tx: Db,
  round: Omit<Reconfirmation, 'asked' | 'after_id' | 'stopped' | 'created_at' | 'ended_at'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(round)}`)
}

/** Returns a round in progress, locked until the transaction ends. Null if the round is not in progress. */
export async function lockOpen(tx: Db, id: string): Promise<Reconfirmation | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.reconfirmations where id = ${id} and ended_at is null for update`)
}

export async function advance(tx: Db, id: string, afterId: string, asked: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.reconfirmations set after_id = ${afterId}, asked = asked + ${asked} where id = ${id}`)
}

/** Ends a round. `stopped`: reason for an early end. */
export async function end(tx: Db, id: string, stopped: string | null): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.reconfirmations set ended_at = now(), stopped = ${stopped} where id = ${id} and ended_at is null`)
}
