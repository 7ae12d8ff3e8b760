import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import { Day, queryInt } from '#lib/input-types.ts'
import { findByCode, statuses } from '#sql/erp/companies.ts'
import { codesIn, readCode, readVatNumber } from '#tasks/erp/rules/codes.ts'
import { cursorOf, placeIn } from '../http/lists/cursor.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Company, present } from './present.ts'
import { Place, searchCompanies } from './search.ts'

/** One code, many companies. */
const ambiguousCode = problem(
  400,
  'ambiguous_code',
  'Registers of several jurisdictions have given this code; `details.candidates` says which.',
)

const jurisdiction = z
  .string()
  .toLowerCase()
  .regex(/^[a-z]{2}(-[a-z0-9]{1,3})?$/, 'must be a country such as ee, or a part of one such as us-de')
  .optional()
  .describe('ISO 3166-1 alpha-2, or a part of a country (ISO 3166-2)')

const text = z.string().trim().min(1).max(200)

const CompanyMatch = Company.pick({
  jurisdiction: true,
  code: true,
  name: true,
  status: true,
  legal_form: true,
  vat_number: true,
  lei: true,
  registered_at: true,
  missing_since: true,
})
  .extend({
    city: z.string().nullable(),
    match: z.object({
      field: z.enum(['name', 'code', 'vat', 'lei', 'previous_name']),
      score: z.number().describe('How like it is: 1 for the same'),
    }),
  })
  .meta({ id: 'erp.Found' })

/** Companies by what is known of them. */
export const search = route({
  method: 'GET',
  path: '/companies',
  summary: 'Search companies',
  description:
    'By code, VAT number and LEI exactly, then by how names begin, then by words that are like those of names and previous names. Legal forms, marks and small or large letters make no difference. Without `q`, all that the filters let through, by their names.',
  scope: 'erp:read',
  reads: 'replica',
  query: z.object({
    q: text.min(2).optional().describe('A code, a VAT number, an LEI, or a name or the beginning of one'),
    jurisdiction,
    status: z.enum(statuses).optional(),
    legal_form: text.optional().describe('Its code, its name or its ELF code'),
    vat: text
      .refine((value) => readVatNumber(value) !== null, 'must be a VAT number with its country before it')
      .optional(),
    city: text.optional(),
    registered_from: Day.optional(),
    registered_to: Day.optional(),
    limit: queryInt(1, 100).default(20).describe('Companies on a page'),
    cursor: z.string().max(2_000).optional().describe('`next_cursor` of the page before'),
  }),
  status: 200,
  reply: z.object({
    data: z.array(CompanyMatch),
    next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last one'),
  }),
  search: true,
  async handle(call) {
    const { db, query } = call
    const { q = '', limit } = query
    const filter = {
      jurisdiction: query.jurisdiction,
      status: query.status,
      legalForm: query.legal_form,
      vatNumber: query.vat === undefined ? undefined : (readVatNumber(query.vat) ?? undefined),
      city: query.city,
      registeredFrom: query.registered_from,
      registeredTo: query.registered_to,
    }
    const place = placeIn(Place, call)
    const { found, next } = await searchCompanies(db, { q, filter, place, limit })
    const data = found.map((row) => {
      const { registered_address, ...company } = present(row)
      const field = row.field as z.infer<typeof CompanyMatch>['match']['field']
      return { ...company, city: registered_address.city, match: { field, score: Math.round(row.score * 1000) / 1000 } }
    })
    return { data, next_cursor: next && cursorOf(call, next) }
  },
})

export const read = route({
  method: 'GET',
  path: '/companies/{code}',
  summary: 'Read a company',
  description:
    'By the code its register gave it. Where several jurisdictions know that code, 400 `ambiguous_code` names them.',
  scope: 'erp:read',
  query: z.object({ jurisdiction }),
  status: 200,
  reply: Company,
  problems: ['not_found', ambiguousCode],
  async handle({ db, params: { code }, query }) {
    if (code.length > 60) throw notFound('company')
    const known = await findByCode(db, codesIn(code))
    const found = known.filter((one) => query.jurisdiction === undefined || one.jurisdiction === query.jurisdiction)
    const [company, another] = found
    if (company && another) {
      const candidates = found.map(({ jurisdiction, code, name, status }) => ({ jurisdiction, code, name, status }))
      throw ambiguousCode('Several companies have this code: say the jurisdiction.', { candidates })
    }
    if (company) return present(company)
    if (query.jurisdiction !== undefined && readCode(query.jurisdiction, code) === null)
      throw badRequest([{ field: 'path.code', issue: `is no code of jurisdiction ${query.jurisdiction}` }])
    throw notFound('company')
  },
})
