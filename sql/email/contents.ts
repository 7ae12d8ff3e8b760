import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { createFiller, defineTable, type GivenRow } from '../table.ts'

export const Attachment = z.object({
  filename: z.string(),
  content_type: z.string(),
  content: z.string(),
  /** HTML references the file as `cid:…` (RFC 2392). */
  content_id: z.string().optional(),
})

export type Attachment = z.infer<typeof Attachment>

export const Recipients = z.object({ to: z.string(), cc: z.array(z.string()) })

/** All messages of a campaign share one row. */
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
    recipients: Recipients.nullable(),
  }),
  {
    retention: days('EMAIL_CONTENT_DAYS', 'created_at', {
      which: 'without pending messages',
      where: sql.fragment`not exists (
      select from email.deliveries as d join email.messages as m on m.id = d.message_id where m.content_id = old.id)
      and not exists (select from email.messages as m where m.content_id = old.id and m.status = 'scheduled')`,
      batch: 1_000,
    }),
  },
)

export const Content = table.Row

export type Content = z.infer<typeof Content>

/** Columns that the request gives. The other parts are rendered. */
const Given = table.Row.pick({ reply_to: true, headers: true, attachments: true })

export type GivenContent = GivenRow<typeof Given, 'headers' | 'attachments'>

export const fill = createFiller(Given, { headers: {}, attachments: [] })

export type NewContent = Omit<Content, 'created_at' | 'recipients'> & Partial<Pick<Content, 'recipients'>>

/** Maximum number of characters per statement. V8’s longest string has 2^29, and a group of requests can have more. */
const maxBatch = 8 * 1024 * 1024

export async function insertMany(tx: Db, contents: readonly NewContent[]): Promise<void> {
  let batch: (typeof contents)[number][] = []
  let size = 0
  const flush = async () => {
    if (batch.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(batch)}`)
    batch = []
    size = 0
  }
  for (const content of contents) {
    batch.push(content)
    size += sizeOf(content)
    if (size >= maxBatch) await flush()
  }
  await flush()
}

/** Inserts the content. If it already exists, its retention starts again. */
export async function upsert(tx: Db, content: NewContent): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    ${table.insert(content)} on conflict (id) do update set created_at = now()`)
}

const sizeOf = ({ html, text, attachments }: Pick<Content, 'html' | 'text' | 'attachments'>) =>
  attachments.reduce((sum, { content }) => sum + content.length, (html?.length ?? 0) + (text?.length ?? 0))

const Shown = table.Row.pick({ id: true, html: true, text: true, reply_to: true, headers: true }).extend({
  attachments: z.array(
    Attachment.omit({ content: true }).extend({ content_id: z.string().nullable(), bytes: z.number() }),
  ),
})

export type ShownContent = z.infer<typeof Shown>

/** Returns a content without the bytes of its attachments, which can be megabytes. */
export async function findShown(db: Db, id: string): Promise<ShownContent | null> {
  return await db.maybeOne(sql.type(Shown)`
    select id, html, text, reply_to, headers, (
      select coalesce(jsonb_agg(jsonb_build_object('filename', one ->> 'filename', 'content_type', one ->> 'content_type',
        'content_id', one ->> 'content_id',
        'bytes', octet_length(one ->> 'content')::bigint / 4 * 3 - octet_length(substring(one ->> 'content' from '=*$'))) order by place), '[]')
      from jsonb_array_elements(attachments) with ordinality as a (one, place)) as attachments
    from email.contents where id = ${id}`)
}

export async function findContents(db: Db, ids: readonly string[]): Promise<readonly Content[]> {
  return await db.any(sql.prepared('email.contents', Content)`
    select ${table.columns()} from email.contents where id = any(${sql.array([...ids], 'uuid')})`)
}
