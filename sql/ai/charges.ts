import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Requests to models in progress. */
export const table = defineTable(
  'ai',
  'charges',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    operation: z.string(),
    subject: z.string().nullable(),
    model: z.string(),
    currency: z.string().nullable(),
    price_id: Id.nullable(),
    reserved: z.number(),
    prompt_tokens: z.number(),
    expires_at: z.date(),
  }),
  { retention: days(30, 'expires_at') },
)

export type Charge = Omit<z.infer<typeof table.Row>, 'expires_at'>

/** Adds a charge. After `seconds`, its worker counts as lost. */
export async function insert(tx: Db, charge: Charge, seconds: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into ai.charges (id, org_id, key_id, operation, subject, model, currency, price_id, reserved, prompt_tokens,
      expires_at)
    values (${charge.id}, ${charge.org_id}, ${charge.key_id}, ${charge.operation}, ${charge.subject}, ${charge.model},
      ${charge.currency}, ${charge.price_id}, ${charge.reserved}, ${charge.prompt_tokens},
      clock_timestamp() + make_interval(secs => ${seconds}))`)
}

/** Ends a charge. Returns false if it was already charged with an estimate. */
export async function remove(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`delete from ai.charges where id = ${id}`)
  return rowCount > 0
}

const Lost = table.Row.omit({ expires_at: true })

const columns = table.columns('c')

/** Ends the charges of earlier attempts at the same work, and returns them. */
export async function takeEarlier(tx: Db, subject: string): Promise<readonly Charge[]> {
  return await tx.any(sql.type(Lost)`
    delete from ai.charges as c where subject = ${subject} returning ${columns}`)
}

/** Ends charges whose worker is lost, and returns them. */
export async function takeExpired(tx: Db, limit: number): Promise<readonly Charge[]> {
  return await tx.any(sql.type(Lost)`
    delete from ai.charges as c where id = any(array(
      select id from ai.charges where expires_at < now() order by expires_at limit ${limit} for update skip locked))
    returning ${columns}`)
}
