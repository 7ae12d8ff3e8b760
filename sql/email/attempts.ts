import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** One reply of the other side (RFC 5321 §4.2). */
export const Reply = z.object({
  /** The command it answers: `greeting`, `EHLO`, `STARTTLS`, `MAIL`, `RCPT`, `DATA`, `DOT`; `connect` and `dns` without a code. */
  stage: z.string(),
  code: z.number().nullable(),
  /** RFC 3463; null when there is none. */
  enhanced: z.string().nullable(),
  text: z.string(),
  /** Milliseconds since the attempt began. */
  ms: z.number(),
})

/** One reply of the other side. */
export type Reply = z.infer<typeof Reply>

/** The delivery route of messages: every attempt. */
export const table = defineTable(
  'email',
  'attempts',
  z.object({
    id: Id,
    org_id: Id,
    message_id: Id,
    number: z.number(),
    outcome: z.enum(['delivered', 'sent', 'deferred', 'bounced', 'failed', 'unknown']),
    reply_class: z.string().nullable(),
    mx_host: z.string().nullable(),
    mx_address: z.string().nullable(),
    pool: z.enum(['transactional', 'campaign']),
    local_address: z.string().nullable(),
    tls: z.object({ version: z.string(), cipher: z.string(), verified: z.boolean() }).nullable(),
    replies: z.array(Reply),
    started_at: z.date(),
    ended_at: z.date(),
  }),
)

export type Attempt = z.infer<typeof table.Row>

/** The attempts of a message, the first one first. */
export async function list(db: Db, orgId: string, messageId: string): Promise<readonly Attempt[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.attempts
    where org_id = ${orgId} and message_id = ${messageId} order by number, id limit 200`)
}
