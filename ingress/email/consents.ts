import { Readable } from 'node:stream'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/contacts/consents.ts'
import { everything } from '#sql/filters.ts'
import { importRows } from '#tasks/email/import-rows.ts'
import { writeCsvLine } from '../http/csv-line.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { route } from '../http/route.ts'
import { acceptImport, Import, mapQuery, prepareRows } from './imports/accept.ts'
import { readImportCsv } from './imports/csv.ts'
import { maxRows } from './imports/csv-thread.ts'
import { isSandbox } from './messages/sandbox.ts'

const Text = z.string().max(2_000)

const Given = z.strictObject({
  email: Text,
  source: Text.optional().describe('Required. Where the person gave consent, such as `sign-up form`.'),
  given_at: Text.optional().describe('Required. When the person gave consent, in ISO 8601.'),
  ip: Text.optional().describe('IP address from which the person gave consent'),
  text_version: Text.optional().describe('Version of the text to which the person agreed'),
  name: Text.optional(),
  topics: Text.optional().describe('Keys of email topics, separated by commas'),
  line: z.int32().min(1).optional().describe('Reserved for CSV files. Default: position in the list.'),
})

export const create = route({
  method: 'POST',
  path: '/consents/import',
  summary: 'Import consents with their evidence',
  description:
    'Stores where, when, from which IP address and to which text each person agreed. New contacts are `unconfirmed`, unless an operator vouches for the list. Accepts JSON or a CSV file (`content-type: text/csv`) of up to 20,000 rows. An invalid row does not affect other rows.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  limit: { perMinute: 20, by: 'org' },
  enqueues: importRows,
  idempotent: true,
  bodyLimit: 4 * 1024 * 1024,
  itemsApart: 'rows',
  alsoTakes: { 'text/csv': readImportCsv('consents') },
  query: mapQuery,
  body: z.strictObject({ rows: z.array(Given).min(1).max(maxRows) }),
  status: 202,
  reply: Import,
  example: {
    body: {
      rows: [
        {
          email: 'ann@example.net',
          source: 'sign-up form',
          given_at: '2025-05-03T09:12:00Z',
          ip: '192.0.2.7',
          text_version: '2025-01',
        },
      ],
    },
  },
  prepare: ({ body, query, header }) => prepareRows(body.rows, query, header('content-type')),
  handle: ({ prepared, org, key, db }) => acceptImport(db, { org, key }, 'consents', prepared),
})

const Consent = z
  .object({
    id: Id,
    email: z.string(),
    status: rows.ConsentWithContact.shape.status.describe('Consent state of the contact'),
    source: z.string(),
    given_at: Instant,
    ip: z.string().nullable(),
    text_version: z.string().nullable(),
    consent_text: z.string().nullable().describe('Text of the form to which the person agreed. `null` without a form.'),
    topics: z.array(z.string()),
    import_id: Id.nullable(),
    form_id: Id.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'email.Consent' })

export const list = listRoute({
  path: '/consents',
  summary: 'List the evidence of consents',
  description: 'Returns evidence of consent with its contact, newest first.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  filters: rows.filters,
  query: { import_id: Id.optional(), form_id: Id.optional() },
  item: Consent,
  rows: ({ org, key, db }, page) => rows.list(db, org.id, page, isSandbox(key)),
  present: ({ org_id: _, contact_id: __, ...consent }) => consent,
})

export const download = route({
  method: 'GET',
  path: '/consents/export',
  summary: 'Export consents as CSV',
  description:
    'Returns all evidence of consent, newest first. You can import the file again. Values that a spreadsheet would run as a formula start with an apostrophe.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  limit: { perMinute: 10, by: 'org' },
  status: 200,
  raw: 'text/csv',
  async handle({ ctx, org, key, db }) {
    ctx.type = 'text/csv; charset=utf-8'
    ctx.set('content-disposition', 'attachment; filename="consents.csv"')
    ctx.body = Readable.from(consentLines(db, org.id, isSandbox(key)))
  },
})

const batch = 500

/** Reads the consents in batches, as fast as the client receives them. */
export async function* consentLines(db: Db, orgId: string, sandbox: boolean): AsyncGenerator<string> {
  yield writeCsvLine([
    'email',
    'status',
    'source',
    'given_at',
    'ip',
    'text_version',
    'topics',
    'created_at',
    'consent_text',
  ])
  for (let before: string | undefined; ; ) {
    const page = await rows.list(db, orgId, { where: everything, before, limit: batch }, sandbox)
    const lines = page.map(({ email, status, source, given_at, ip, text_version, consent_text, topics, created_at }) =>
      writeCsvLine([
        ...[email, status, source, given_at.toISOString(), ip, text_version, topics.join(',')],
        ...[created_at.toISOString(), consent_text],
      ]),
    )
    if (lines.length > 0) yield lines.join('')
    const last = page.at(-1)
    if (!last || page.length < batch) return
    before = last.id
  }
}
