import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** A file that comes with a message. */
export const Attachment = z.object({
  filename: z.string(),
  content_type: z.string(),
  /** In base64. */
  content: z.string(),
  /** By which HTML shows it: `cid:…` (RFC 2392). */
  content_id: z.string().optional(),
})

/** A file that comes with a message. */
export type Attachment = z.infer<typeof Attachment>

/** What messages say; all messages of a campaign share one. */
export const table = defineTable(
  'email',
  'contents',
  z.object({
    id: Id,
    org_id: Id,
    html: z.string().nullable(),
    text: z.string().nullable(),
    reply_to: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    attachments: z.array(Attachment),
    created_at: z.date(),
  }),
)

/** What a message says. */
export const Content = table.Row

/** The parsed row. */
export type Content = z.infer<typeof Content>

/** Keeps what messages say. */
export async function insertMany(tx: Db, contents: readonly Omit<Content, 'created_at'>[]): Promise<void> {
  if (contents.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(contents)}`)
}
