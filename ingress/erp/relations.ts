import { z } from 'zod'
import { queryInt } from '#lib/input-types.ts'
import { statuses } from '#sql/erp/companies.ts'
import * as rows from '#sql/erp/relations.ts'
import { Instant } from '../http/instant.ts'
import { decodeCursor, encodeCursor } from '../http/lists/cursor.ts'
import { readFromArray, writePage } from '../http/lists/write-page.ts'
import { route } from '../http/route.ts'
import { ambiguousCode, findCompany, jurisdiction } from './find-company.ts'

export const Relation = z
  .object({
    kind: z.enum(rows.relationKinds).describe('What the parent is to the company'),
    lei: z.string().nullable().describe('LEI of the parent or child. `null` if the company reports no parent.'),
    company: z
      .object({ jurisdiction: z.string(), code: z.string(), name: z.string(), status: z.enum(statuses) })
      .nullable()
      .describe('`null` if no imported register contains the company with this LEI'),
    reason: z
      .string()
      .nullable()
      .describe('Reason why the company reports no parent, such as `natural_persons` or `non_public`'),
    status: z.enum(rows.relationStatuses),
    since: z.string().nullable().describe('Date in the form `YYYY-MM-DD`'),
    until: z.string().nullable().describe('Date in the form `YYYY-MM-DD`'),
    source: z.object({
      register: z.string(),
      retrieved_at: Instant.nullable(),
      licence: z.string().nullable(),
    }),
  })
  .meta({ id: 'erp.Relation' })

const Place = z.tuple([z.string().max(20), z.string().max(64)])

export const list = route({
  method: 'GET',
  path: '/companies/{code}/relations',
  summary: 'List the parents or children of a company',
  description:
    'Returns relations from GLEIF level 2, which identifies companies by LEI. A company without a LEI has none. `known` is `false` if no register of relations is imported.',
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  query: z.object({
    jurisdiction,
    direction: z.enum(['parents', 'children']).default('parents'),
    limit: queryInt(1, 100).default(50).describe('Maximum number of relations per page'),
    cursor: z.string().max(2_000).optional().describe('`next_cursor` of the previous page'),
  }),
  status: 200,
  reply: z.object({
    data: z.array(Relation),
    next_cursor: z.string().nullable(),
    known: z.boolean(),
  }),
  problems: ['not_found', ambiguousCode],
  async handle(call) {
    const { db, params, query, operation } = call
    const company = await findCompany(db, params.code, query.jurisdiction)
    const [lei = '', digest = ''] = decodeCursor(Place, call) ?? []
    const found =
      company.lei === null
        ? []
        : await rows.listForCompany(db, company.lei, {
            direction: query.direction,
            after: digest === '' ? undefined : { lei, digest },
            limit: query.limit + 1,
          })
    const known = await rows.hasRelations(db)
    return await writePage<rows.Relation>({
      operation,
      limit: query.limit,
      item: Relation,
      read: readFromArray(found),
      present,
      cursorAfter: (one) => encodeCursor(call, [one.lei ?? '', one.digest]),
      more: () => ({ known }),
    })
  },
})

function present(row: rows.Relation): z.input<typeof Relation> {
  const { jurisdiction, code, name, company_status } = row
  const isKnown = jurisdiction !== null && code !== null && name !== null
  return {
    kind: row.kind,
    lei: row.lei,
    company: isKnown
      ? { jurisdiction, code, name, status: statuses.find((one) => one === company_status) ?? 'unknown' }
      : null,
    reason: row.reason,
    status: row.status,
    since: row.since,
    until: row.until,
    source: { register: row.register, retrieved_at: row.imported_at, licence: row.licence },
  }
}
