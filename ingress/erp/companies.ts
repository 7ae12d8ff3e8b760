import { z } from 'zod'
import { Day, queryInt } from '#lib/input-types.ts'
import { statuses } from '#sql/erp/companies.ts'
import * as officersOf from '#sql/erp/officers.ts'
import { kinds } from '#sql/erp/officers.ts'
import { readVatNumber } from '#tasks/erp/rules/codes.ts'
import { Instant } from '../http/instant.ts'
import { decodeCursor, encodeCursor } from '../http/lists/cursor.ts'
import { readFromArray, writePage } from '../http/lists/write-page.ts'
import { route } from '../http/route.ts'
import { ambiguousCode, findCompany, jurisdiction } from './find-company.ts'
import { Company, present } from './present.ts'
import { type FoundCompany, placeAfter, SearchPlace, searchCompanies } from './search.ts'

const text = z.string().trim().min(1).max(200)

export const CompanyMatch = Company.pick({
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
      score: z.number().describe('Similarity. 1 for an exact match.'),
    }),
  })
  .meta({ id: 'erp.Found' })

export const search = route({
  method: 'GET',
  path: '/companies',
  summary: 'Search companies',
  description:
    'Finds exact codes, VAT numbers and LEIs, then names that start with `q`, then similar names. The search ignores case, diacritics and legal forms. Without `q`, it returns all companies that match the filters, by name.',
  tool: { name: 'search_companies', outsideText: true },
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  reads: 'replica',
  query: z.object({
    q: text.min(2).optional().describe('Code, VAT number, LEI, full name, or start of a name'),
    jurisdiction,
    status: z.enum(statuses).optional(),
    legal_form: text.optional().describe('Code, name or ELF code of the legal form'),
    vat: text
      .refine((value) => readVatNumber(value) !== null, 'must be a VAT number that starts with its country code')
      .optional(),
    city: text.optional(),
    registered_from: Day.optional(),
    registered_to: Day.optional(),
    limit: queryInt(1, 100).default(20).describe('Maximum number of companies per page'),
    cursor: z.string().max(2_000).optional().describe('`next_cursor` of the previous page'),
  }),
  status: 200,
  reply: z.object({
    data: z.array(CompanyMatch),
    next_cursor: z.string().nullable().describe('Value of `cursor` for the next page. `null` on the last page.'),
    complete: z
      .boolean()
      .describe('`false` if the search ran out of time and more companies may match. Make the query more specific.'),
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
    const place = decodeCursor(SearchPlace, call)
    const { found, complete } = await searchCompanies(db, { q, filter, place, limit })
    return await writePage<FoundCompany>({
      operation: call.operation,
      limit,
      item: CompanyMatch,
      read: readFromArray(found),
      present: ([, company]) => presentMatch(company),
      cursorAfter: (one) => encodeCursor(call, placeAfter(one)),
      more: () => ({ complete }),
    })
  },
})

function presentMatch(row: FoundCompany[1]) {
  const { registered_address, ...company } = present(row)
  return {
    ...company,
    city: registered_address.city,
    match: { field: row.field, score: Math.round(row.score * 1000) / 1000 },
  }
}

export const read = route({
  method: 'GET',
  path: '/companies/{code}',
  summary: 'Read a company',
  description:
    'Finds the company by its code in the register. If the code exists in several jurisdictions, returns `400 ambiguous_code`.',
  tool: { name: 'get_company', outsideText: true },
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  query: z.object({ jurisdiction }),
  status: 200,
  reply: Company,
  problems: ['not_found', ambiguousCode],
  async handle({ db, params: { code }, query }) {
    return present(await findCompany(db, code, query.jurisdiction))
  },
})

const mostOfficers = 500

const Officer = z
  .object({
    kind: z.enum(kinds),
    name: z.string(),
    role: z.string().nullable().describe('Original text from the register'),
    role_code: z.string().nullable(),
    since: z.string().nullable().describe('Date in the form `YYYY-MM-DD`'),
    until: z.string().nullable().describe('Date in the form `YYYY-MM-DD`. Can be in the future.'),
    source: z.object({
      register: z.string(),
      retrieved_at: Instant.nullable(),
      licence: z.string().nullable(),
    }),
  })
  .meta({ id: 'erp.Officer' })

export const officers = route({
  method: 'GET',
  path: '/companies/{code}/officers',
  summary: 'List the officers of a company',
  description:
    'Returns the first 500 officers from imported registers, by role and name. `known` is `false` if no register lists officers of this jurisdiction.',
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  query: z.object({ jurisdiction }),
  status: 200,
  reply: z.object({ data: z.array(Officer), known: z.boolean() }),
  problems: ['not_found', ambiguousCode],
  async handle({ db, params: { code }, query }) {
    const company = await findCompany(db, code, query.jurisdiction)
    const found = await officersOf.listForCompany(db, company, mostOfficers)
    const data = found.map(({ register, imported_at: retrieved_at, licence, ...one }) => ({
      ...one,
      source: { register, retrieved_at, licence },
    }))
    return { data, known: found.length > 0 || (await officersOf.hasOfficers(db, company.jurisdiction)) }
  },
})
