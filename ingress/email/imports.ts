import { Readable } from 'node:stream'
import { z } from 'zod'
import { Int4 } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/import-rows.ts'
import * as lists from '#sql/email/imports.ts'
import { everything } from '#sql/filters.ts'
import { writeCsvLine } from '../http/csv-line.ts'
import { listRoute, orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Import, present } from './imports/accept.ts'
import { isSandbox } from './messages/sandbox.ts'

const params = z.object({ id: pathId('import') })

export const list = listRoute({
  path: '/imports',
  summary: 'List imports of suppressions and consents',
  description: 'Returns the imports of lists, newest first, with their progress.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  filters: lists.filters,
  query: { kind: lists.Kind.optional(), status: lists.Status.optional() },
  item: Import,
  rows: ({ org, key, db }, page) => lists.list(db, org.id, page, isSandbox(key)),
  present,
})

export const read = route({
  method: 'GET',
  path: '/imports/{id}',
  summary: 'Read an import',
  description: 'Returns the progress of an import, and the number of rows by outcome.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  params,
  status: 200,
  reply: Import,
  problems: ['not_found'],
  handle: async ({ params: { id }, org, key, db }) =>
    present(await mustFind(lists.find(db, org.id, id, isSandbox(key)), 'import')),
})

const Row = z
  .object({
    line: Int4.describe('Line number in the file, or position in the list'),
    email: z.string().nullable().describe('Stored form of the address. `null` if the row is invalid or waits.'),
    outcome: rows.Outcome.nullable().describe('`null` while the row waits'),
    reason: z.string().nullable().describe('Why the row had no effect'),
  })
  .meta({ id: 'email.ImportRow' })

export const results = orderedListRoute({
  path: '/imports/{id}/rows',
  summary: 'List the rows of an import',
  description: `Returns the result of each row in the order of the file. Rows are kept for ${rows.keepDays} days.`,
  scope: 'email:manage',
  testKeys: 'sandbox',
  params,
  problems: ['not_found'],
  filters: rows.filters,
  query: { outcome: rows.Outcome.optional() },
  item: Row,
  key: Int4,
  keyOf: ({ line }: rows.ImportRow) => line,
  async rows({ params: { id }, org, key, db }, page) {
    await mustFind(lists.find(db, org.id, id, isSandbox(key)), 'import')
    return await rows.list(db, id, page)
  },
  present: ({ line, email, outcome, reason }) => ({ line, email, outcome, reason }),
})

export const download = route({
  method: 'GET',
  path: '/imports/{id}/results',
  summary: 'Download the results of an import as CSV',
  description: 'Returns a CSV file with the line, the address, the outcome and the reason of each row.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  limit: { perMinute: 30, by: 'org' },
  params,
  status: 200,
  raw: 'text/csv',
  problems: ['not_found'],
  async handle({ params: { id }, ctx, org, key, db }) {
    await mustFind(lists.find(db, org.id, id, isSandbox(key)), 'import')
    ctx.type = 'text/csv; charset=utf-8'
    ctx.set('content-disposition', `attachment; filename="import-${id}.csv"`)
    ctx.body = Readable.from(linesOf(db, id))
  },
})

const batch = 500

/** Reads the rows in batches, as fast as the client receives them. */
export async function* linesOf(db: Db, importId: string): AsyncGenerator<string> {
  yield writeCsvLine(['line', 'email', 'outcome', 'reason'])
  for (let before: number | undefined; ; ) {
    const page = await rows.list(db, importId, { where: everything, before, limit: batch })
    const lines = page.map(({ line, email, fields, outcome, reason }) =>
      writeCsvLine([line, email ?? fields.email ?? null, outcome ?? 'waiting', reason]),
    )
    if (lines.length > 0) yield lines.join('')
    const last = page.at(-1)
    if (!last || page.length < batch) return
    before = last.line
  }
}
