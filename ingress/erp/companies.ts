import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import { Day, queryInt } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import { findByCode, type Company as Row, statuses } from '#sql/erp/companies.ts'
import * as officersOf from '#sql/erp/officers.ts'
import { kinds } from '#sql/erp/officers.ts'
import { codesIn, readCode, readVatNumber } from '#tasks/erp/rules/codes.ts'
import { Instant } from '../http/instant.ts'
import { cursorOf, placeIn } from '../http/lists/cursor.ts'
import { readFrom, writePage } from '../http/lists/write-page.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Company, present } from './present.ts'
import { type Found, Place, placeAfter, searchCompanies } from './search.ts'

/** One code, many companies. */
const ambiguousCode = problem(
  400,
  'ambiguous_code',
  'Several jurisdictions have this code. `details.candidates` lists the companies.',
)

const jurisdiction = z
  .string()
  .toLowerCase()
  .regex(/^[a-z]{2}(-[a-z0-9]{1,3})?$/, 'must be a country such as ee, or a subdivision such as us-de')
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
  testKeys: 'shared',
  locks: [],
  reads: 'replica',
  query: z.object({
    q: text.min(2).optional().describe('A code, a VAT number, an LEI, or a name or the beginning of one'),
    jurisdiction,
    status: z.enum(statuses).optional(),
    legal_form: text.optional().describe('Its code, its name or its ELF code'),
    vat: text
      .refine((value) => readVatNumber(value) !== null, 'must be a VAT number that starts with its country')
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
    complete: z
      .boolean()
      .describe('false when more may fit than could be looked through in time: say more, and less is left out'),
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
    const { found, complete } = await searchCompanies(db, { q, filter, place, limit })
    return await writePage<Found>({
      operation: call.operation,
      limit,
      item: CompanyMatch,
      read: readFrom(found),
      present: ([, company]) => presentMatch(company),
      cursorAfter: (one) => cursorOf(call, placeAfter(one)),
      more: () => ({ complete }),
    })
  },
})

function presentMatch(row: Found[1]) {
  const { registered_address, ...company } = present(row)
  return {
    ...company,
    city: registered_address.city,
    match: { field: row.field, score: Math.round(row.score * 1000) / 1000 },
  }
}

/** The one company of a code; throws 400 and 404 as they are declared. */
async function companyOf(db: DatabasePool, code: string, jurisdiction: string | undefined): Promise<Row> {
  if (code.length > 60) throw notFound('company')
  const known = await findByCode(db, codesIn(code))
  const found = known.filter((one) => jurisdiction === undefined || one.jurisdiction === jurisdiction)
  const [company, another] = found
  if (company && another) {
    const candidates = found.map(({ jurisdiction, code, name, status }) => ({ jurisdiction, code, name, status }))
    throw ambiguousCode('Several companies have this code. Set `jurisdiction`.', { candidates })
  }
  if (company) return company
  if (jurisdiction !== undefined && readCode(jurisdiction, code) === null)
    throw badRequest([{ field: 'path.code', issue: `must be a valid code of jurisdiction ${jurisdiction}` }])
  throw notFound('company')
}

export const read = route({
  method: 'GET',
  path: '/companies/{code}',
  summary: 'Read a company',
  description:
    'By the code its register gave it. Where several jurisdictions know that code, 400 `ambiguous_code` names them.',
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  query: z.object({ jurisdiction }),
  status: 200,
  reply: Company,
  problems: ['not_found', ambiguousCode],
  async handle({ db, params: { code }, query }) {
    return present(await companyOf(db, code, query.jurisdiction))
  },
})

/** Officers that are answered at most. */
const mostOfficers = 500

const Officer = z
  .object({
    kind: z.enum(kinds),
    name: z.string(),
    role: z.string().nullable().describe('In the register’s own words'),
    role_code: z.string().nullable(),
    since: z.string().nullable().describe('YYYY-MM-DD'),
    until: z.string().nullable().describe('YYYY-MM-DD; a day to come, too'),
    source: z.object({
      register: z.string(),
      retrieved_at: Instant.nullable(),
      licence: z.string().nullable(),
    }),
  })
  .meta({ id: 'erp.Officer' })

/** Who acts for a company. */
export const officers = route({
  method: 'GET',
  path: '/companies/{code}/officers',
  summary: 'List the officers of a company',
  description:
    'As far as a register that has been imported tells of them; `known` is false where none tells of any company of the jurisdiction. The first 500, by their roles and names.',
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  query: z.object({ jurisdiction }),
  status: 200,
  reply: z.object({ data: z.array(Officer), known: z.boolean() }),
  problems: ['not_found', ambiguousCode],
  async handle({ db, params: { code }, query }) {
    const company = await companyOf(db, code, query.jurisdiction)
    const found = await officersOf.listOf(db, company, mostOfficers)
    const data = found.map(({ register, imported_at: retrieved_at, licence, ...one }) => ({
      ...one,
      source: { register, retrieved_at, licence },
    }))
    return { data, known: found.length > 0 || (await officersOf.areKnown(db, company.jurisdiction)) }
  },
})
