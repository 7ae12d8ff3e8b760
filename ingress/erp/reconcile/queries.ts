import { z } from 'zod'
import { badRequest, type Fault, unavailable } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Candidate, type CompanyQuery, matchCompany } from '../match-companies.ts'
import { companyType, entityId, readType, typeOf } from './entity-type.ts'
import { properties } from './properties.ts'

/** Maximum number of queries in a request, and of candidates of a query. */
export const [mostQueries, mostCandidates] = [50, 20]

/** Time in milliseconds after which a batch is rejected. A name of common words takes a second. */
const patienceMs = 20_000

const Value = z.union([z.string().max(200), z.number(), z.boolean(), z.object({ id: z.string().max(200) })])

const Query = z.object({
  query: z.string().trim().min(1).max(200),
  type: z.union([z.string().max(40), z.array(z.string().max(40)).max(5)]).optional(),
  limit: z.int().min(1).max(mostCandidates).default(5),
  properties: z
    .array(z.object({ pid: z.string().max(60), v: z.union([Value, z.array(Value).max(20)]) }))
    .max(20)
    .default([]),
})

export const Queries = z
  .record(z.string().max(40), Query)
  .refine((all) => Object.keys(all).length <= mostQueries, `must contain up to ${mostQueries} queries`)

interface Result {
  id: string
  name: string
  description: string
  type: { id: string; name: string }[]
  score: number
  match: boolean
}

/**
 * Returns the candidates of each query. Throws 400 with each unknown type. Throws 503 if the batch takes too long,
 * because an empty result means that no company was found.
 */
export async function answerQueries(
  db: DatabasePool,
  queries: z.output<typeof Queries>,
  mostMs = patienceMs,
): Promise<Record<string, { result: Result[] }>> {
  const wanted = Object.entries(queries).map(([key, query]) => [key, toCompanyQuery(key, query), query.limit] as const)
  const faults = wanted.flatMap(([, query]) => ('issue' in query ? [query] : []))
  if (faults.length > 0) throw badRequest(faults)
  const ends = performance.now() + mostMs
  const results: Record<string, { result: Result[] }> = {}
  for (const [key, query, limit] of wanted) {
    if ('issue' in query) continue
    if (performance.now() > ends) throw unavailable('The search took too long. Send fewer queries in one request.')
    results[key] = { result: (await matchCompany(db, query, limit)).map(present) }
  }
  return results
}

function toCompanyQuery(key: string, { query, type, properties: given }: z.output<typeof Query>): CompanyQuery | Fault {
  const [id = companyType.id] = [type ?? []].flat()
  const jurisdiction = readType(id)
  if (jurisdiction === null)
    return { field: `queries.${key}.type`, issue: 'must be company, or company-ee for a jurisdiction' }
  const values: Partial<Record<string, string>> = {}
  for (const { pid, v } of given) {
    const field = Object.hasOwn(properties, pid) ? properties[pid]?.field : undefined
    const text = textOf([v].flat()[0])
    if (field && text) values[field] = text
  }
  return { ...values, name: query, jurisdiction: jurisdiction ?? values.jurisdiction?.toLowerCase() }
}

const textOf = (value: z.output<typeof Value> | undefined): string =>
  (typeof value === 'object' ? value.id : String(value ?? '')).trim()

const present = ({ company, score, match }: Candidate): Result => ({
  id: entityId(company),
  name: company.name,
  description: [company.code, company.city, company.status].filter(Boolean).join(', '),
  type: [companyType, typeOf(company.jurisdiction)],
  score,
  match,
})
