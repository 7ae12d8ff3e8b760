import { z } from 'zod'
import type { Area, Operation } from '../../../../ingress/http/area.ts'
import { owner, rowId } from './rows.ts'

export interface ListRequest {
  operation: Operation
  what: string
  path: string
}

/** Returns every operation that returns pages or searches. Reads the declarations, so that no operation is missing. */
export const findListOperations = (areas: readonly Area[]): Operation[] =>
  areas
    .flatMap(({ operations }) => operations)
    .filter(({ route }) => {
      const { limit, cursor } = shapeOf(route.query)
      return route.method === 'GET' && !route.public && (limit || cursor || route.search)
    })

const counts =
  /\.(stats|insights|overview|engagement|daily|counts|unreadCount|summarise|readAll|readAsset)$|usage|costs/

/** Returns every operation without pages that counts or summarises rows. */
export const findCountOperations = (areas: readonly Area[]): Operation[] =>
  areas
    .flatMap(({ operations }) => operations)
    .filter(({ id, route }) => route.method === 'GET' && !route.public && counts.test(id))

const shapeOf = (query: z.ZodObject | undefined): Record<string, z.ZodType> => query?.shape ?? {}

/** Search word that no row of the tests has. */
const unknownWord = 'v11987'

/**
 * Returns the requests of a list: without filters, and with each filter separately. Filters with a list of values are
 * tested with every value.
 */
export function buildListRequests(operation: Operation, word = unknownWord): ListRequest[] {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => named[name] ?? rowId(owner))
  const { limit: _, cursor: __, ...filters } = shapeOf(operation.route.query)
  const needed: Record<string, string> = {}
  const optional: [string, string][] = []
  for (const [name, schema] of Object.entries(filters)) {
    const values = name === 'q' ? [word] : valuesOf(name, schema)
    if (schema.safeParse(undefined).success) optional.push(...values.map((value) => [name, value] as [string, string]))
    else needed[name] = values[0] ?? ''
  }
  const request = (filter: Record<string, string>) => {
    const query = new URLSearchParams({ ...needed, ...filter }).toString()
    return { operation, what: query, path: query === '' ? path : `${path}?${query}` }
  }
  return [request({}), ...optional.map(([name, value]) => request({ [name]: value }))]
}

/** Parameters of paths that are not IDs. */
const named: Record<string, string> = {
  handle: `chan${owner}`,
  domain: `v${owner}.example.com`,
  key: `v${owner}`,
  code: 'v2',
}

function valuesOf(name: string, schema: z.ZodType): string[] {
  const { enum: list, items, type, format } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  if (list) return list.map(String)
  if (typeof items === 'object' && 'enum' in items && items.enum) return items.enum.map(String)
  if (format === 'uuid' || /(^|_)id$/.test(name)) return [rowId(owner), rowId(9)]
  if (format === 'date-time') return [new Date(Date.now() - 3_600_000).toISOString()]
  if (format === 'date') return [new Date(Date.now() - 3_600_000).toISOString().slice(0, 10)]
  if (examples[name]) return examples[name]
  if (type === 'integer' || type === 'number') return ['404']
  return ['v9']
}

const examples: Record<string, string[]> = {
  to: ['v9@example.com'],
  email: ['v9@example.com'],
  event: ['email.bounced'],
  event_type: ['email.bounced'],
  sha256: ['9'.padStart(64, '0')],
  from: ['v9@example.com'],
  language: ['en'],
  score: ['1', '5'],
  jurisdiction: ['xa'],
  own: ['true'],
  revoked: ['true', 'false'],
  archived: ['true', 'false'],
  by: ['key'],
  channel: ['chan9'],
  country: ['EE'],
  source_ip: ['192.0.2.9'],
  days: ['30'],
  class: ['4'],
  vat: ['XA123456'],
  metadata: ['v9:v9'],
  uri: ['https://example.com/v9'],
  phone: ['+37251234567'],
}
