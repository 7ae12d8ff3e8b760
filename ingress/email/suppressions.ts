import { Readable } from 'node:stream'
import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/contacts/suppressions.ts'
import { everything } from '#sql/filters.ts'
import { importRows } from '#tasks/email/import-rows.ts'
import { writeCsvLine } from '../http/csv-line.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { acceptImport, Import, mapQuery, prepareRows } from './imports/accept.ts'
import { readImportCsv } from './imports/csv.ts'
import { maxRows } from './imports/csv-thread.ts'

const hasComplained = problem(
  409,
  'complaint_stays',
  'The recipient has complained. The suppression cannot be removed.',
)

const Suppression = z
  .object({
    email: z.string(),
    reason: rows.Reason,
    detail: z.string().nullable().describe('Response from the receiving server, or your note'),
    message_id: Id.nullable().describe('Message that caused the suppression'),
    created_at: Instant,
  })
  .meta({ id: 'email.Suppression' })

export const list = listRoute({
  path: '/suppressions',
  summary: 'List suppressed addresses, newest first',
  description: 'Returns the addresses that receive no email, with the reason. Use `email` to search for one address.',
  tool: { name: 'list_suppressions', outsideText: true },
  scope: 'email:manage',
  filters: rows.filters,
  query: { email: Address.optional(), reason: rows.Reason.optional() },
  item: Suppression,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row) => row,
})

export const create = route({
  method: 'POST',
  path: '/suppressions',
  repeatable: true,
  summary: 'Suppress an address',
  description: 'Nothing is sent to the address on any stream until you remove the suppression.',
  scope: 'email:manage',
  body: z.strictObject({ email: Address, detail: z.string().max(500).optional() }),
  status: 201,
  reply: z.object({ email: z.string(), reason: rows.Reason }),
  async handle({ body: { email, detail = null }, org, db }) {
    await rows.insertMany(db, [{ org_id: org.id, email, reason: 'manual', message_id: null, detail }])
    return { email, reason: 'manual' as const }
  },
})

export const remove = removeRoute({
  path: '/suppressions/{email}',
  summary: 'Remove a suppression',
  description: 'An address whose recipient has complained stays suppressed.',
  scope: 'email:manage',
  params: z.object({ email: Address }),
  reply: { email: z.string() },
  problems: [hasComplained],
  what: 'suppression',
  async remove({ params: { email }, org, db }) {
    const reasons = await rows.remove(db, org.id, email)
    if (reasons.includes('complaint'))
      throw hasComplained('The recipient has complained. The address stays suppressed.')
    return reasons.length > 0
  },
})

const Text = z.string().max(2_000)

const Given = z.strictObject({
  email: Text,
  reason: Text.optional().describe('`bounce`, `complaint` or `manual`. Default: `manual`.'),
  detail: Text.optional(),
  created_at: Text.optional().describe('When the address was suppressed, in ISO 8601. Default: now.'),
  line: z.int32().min(1).optional().describe('Reserved for CSV files. Default: position in the list.'),
})

export const imported = route({
  method: 'POST',
  path: '/suppressions/import',
  summary: 'Import suppressions',
  description:
    'Suppresses each address of a list. Accepts JSON or a CSV file (`content-type: text/csv`) of up to 20,000 rows, with the columns `email`, `reason`, `detail` and `created_at`. Existing suppressions do not change. An invalid row does not affect other rows.',
  scope: 'email:manage',
  limit: { perMinute: 20, by: 'org' },
  enqueues: importRows,
  idempotent: true,
  bodyLimit: 4 * 1024 * 1024,
  itemsApart: 'rows',
  alsoTakes: { 'text/csv': readImportCsv('suppressions') },
  query: mapQuery,
  body: z.strictObject({ rows: z.array(Given).min(1).max(maxRows) }),
  status: 202,
  reply: Import,
  example: { body: { rows: [{ email: 'ann@example.net', reason: 'bounce' }, { email: 'bob@example.net' }] } },
  prepare: ({ body, query, header }) => prepareRows(body.rows, query, header('content-type')),
  handle: ({ prepared, org, key, db }) => acceptImport(db, { org, key }, 'suppressions', prepared),
})

export const download = route({
  method: 'GET',
  path: '/suppressions/export',
  summary: 'Export suppressions as CSV',
  description:
    'Returns all suppressions, newest first. You can import the file again. Values that a spreadsheet would run as a formula start with an apostrophe.',
  scope: 'email:manage',
  limit: { perMinute: 10, by: 'org' },
  status: 200,
  raw: 'text/csv',
  async handle({ ctx, org, db }) {
    ctx.type = 'text/csv; charset=utf-8'
    ctx.set('content-disposition', 'attachment; filename="suppressions.csv"')
    ctx.body = Readable.from(suppressionLines(db, org.id))
  },
})

const batch = 500

/** Reads the suppressions in batches, as fast as the client receives them. */
export async function* suppressionLines(db: Db, orgId: string): AsyncGenerator<string> {
  yield writeCsvLine(['email', 'reason', 'detail', 'message_id', 'created_at'])
  for (let before: string | undefined; ; ) {
    const page = await rows.list(db, orgId, { where: everything, before, limit: batch })
    const lines = page.map(({ email, reason, detail, message_id, created_at }) =>
      writeCsvLine([email, reason, detail, message_id, created_at.toISOString()]),
    )
    if (lines.length > 0) yield lines.join('')
    const last = page.at(-1)
    if (!last || page.length < batch) return
    before = last.id
  }
}
