import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const Reply = z.object({
  /**
   * Command to which the server replied: `greeting`, `EHLO`, `STARTTLS`, `MAIL`, `RCPT`, `DATA`, `DOT`. `connect` and
   * `dns` have no code.
   */
  stage: z.string(),
  code: z.number().nullable(),
  /** Enhanced status code (RFC 3463). Null if the reply has none. */
  enhanced: z.string().nullable(),
  text: z.string(),
  /** Time since the start of the attempt in milliseconds. */
  ms: z.number(),
})

export type Reply = z.infer<typeof Reply>

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

export async function list(db: Db, orgId: string, messageId: string): Promise<readonly Attempt[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.attempts
    where org_id = ${orgId} and message_id = ${messageId} order by number, id limit 200`)
}
