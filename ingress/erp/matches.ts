import { z } from 'zod'
import { statuses } from '#sql/erp/companies.ts'
import { route } from '../http/route.ts'
import { jurisdiction } from './find-company.ts'
import { matchCompany } from './match-companies.ts'

const mostQueries = 20

const mostCandidates = 10

const text = z.string().trim().min(1).max(200)

const Query = z.strictObject({
  name: text,
  jurisdiction,
  code: text.optional(),
  vat_number: text.optional(),
  lei: text.optional(),
  city: text.optional(),
  postal_code: text.optional(),
})

export const match = route({
  method: 'POST',
  path: '/match',
  repeatable: true,
  summary: 'Match a list of companies',
  description:
    'Finds the registered company of each record. `match` is true if the identifier and the name fit, or if exactly one company has the name. If several companies fit, no candidate has `match`. Check other candidates before you use them.',
  scope: 'erp:read',
  testKeys: 'shared',
  locks: [],
  atOnce: { requests: 16, ofOne: 2 },
  body: z.strictObject({
    queries: z.array(Query).min(1).max(mostQueries),
    limit: z.int().min(1).max(mostCandidates).default(3).describe('Maximum number of candidates per record'),
  }),
  status: 200,
  reply: z.object({
    results: z.array(
      z.object({
        candidates: z.array(
          z.object({
            jurisdiction: z.string(),
            code: z.string(),
            name: z.string(),
            status: z.enum(statuses),
            vat_number: z.string().nullable(),
            lei: z.string().nullable(),
            score: z.number().describe('From 0 to 100'),
            match: z.boolean(),
          }),
        ),
      }),
    ),
  }),
  example: { body: { queries: [{ name: 'Kestrel Energy', jurisdiction: 'xa', code: '10000000' }] } },
  async handle({ body, db }) {
    const results = []
    for (const query of body.queries) {
      const found = await matchCompany(db, query, body.limit)
      results.push({
        candidates: found.map(({ company: { jurisdiction, code, name, status, vat_number, lei }, score, match }) => ({
          ...{ jurisdiction, code, name, status, vat_number, lei },
          ...{ score, match },
        })),
      })
    }
    return { results }
  },
})
