import type { z } from 'zod'
import type { Operation } from '../area.ts'
import { getDeclaredProblems } from '../declared-problems.ts'
import { getBodyLimit } from '../request/body.ts'
import type { Route } from '../route.ts'
import type { Components, Json } from './schemas.ts'

const requestIdHeader = {
  'x-request-id': { description: 'ID of this request in the request log', schema: { type: 'string' } },
}

const retryHeader = {
  'retry-after': { description: 'Number of seconds to wait before retrying.', schema: { type: 'integer' } },
}

const etagHeader = { etag: { description: 'Identifies this version of the response.', schema: { type: 'string' } } }

export function operationObject({ id, area, path, route }: Operation, shownPath: string, components: Components): Json {
  const body = route.body && bodyObject(route, components)
  const parameters = [...pathParameters(path, shownPath, route, components), ...queryParameters(route, components)]
  if (route.idempotent) parameters.push(idempotencyParameter)
  if (route.etag) parameters.push(ifNoneMatchParameter)
  return {
    operationId: id,
    tags: [area.name],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    security: securityOf(route, area.platform),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: {
      [route.status]: success(route, components),
      ...(route.etag
        ? { 304: { description: 'The caller already has the current version.', headers: etagHeader } }
        : {}),
      ...problemResponses(route),
    },
    ...(route.scope ? { 'x-scope': route.scope } : {}),
    ...(route.repeatable ? { 'x-repeatable': true } : {}),
  }
}

function securityOf(route: Route, platform: boolean): Json[] {
  if (route.public) return []
  const scopes = route.scope === undefined ? [] : [route.scope].flat()
  return [{ bearer: scopes }, ...(platform ? [{ apiKey: scopes }] : [])]
}

function bodyObject(route: Route, components: Components): Json {
  const schema = route.body as z.ZodType
  const limit = getBodyLimit(route)
  const content = { schema: components.input(schema), ...exampleOf(route.example?.body) }
  return {
    required: !schema.safeParse(undefined).success,
    description: `Maximum size: ${limit} bytes.`,
    'x-max-bytes': limit,
    content: { 'application/json': content, ...othersOf(route) },
  }
}

const othersOf = ({ alsoTakes = {} }: Route): Json =>
  Object.fromEntries(Object.keys(alsoTakes).map((type) => [type, { schema: { type: 'string' } }]))

const exampleOf = (value: unknown): Json => (value === undefined ? {} : { example: value })

function pathParameters(path: string, shownPath: string, route: Route, components: Components): Json[] {
  const schemas = (route.params as z.ZodObject | undefined)?.shape ?? {}
  const shown = namesIn(shownPath)
  return namesIn(path).map((name, i) => {
    const schema = schemas[name] ? components.input(schemas[name] as z.ZodType) : { type: 'string' }
    return { name: shown[i], in: 'path', required: true, ...described(schema) }
  })
}

const namesIn = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

function queryParameters(route: Route, components: Components): Json[] {
  if (!route.query) return []
  const schema = components.input(route.query)
  const required = new Set((schema.required as string[] | undefined) ?? [])
  return Object.entries((schema.properties as Record<string, Json> | undefined) ?? {}).map(([name, part]) => ({
    name,
    in: 'query',
    required: required.has(name),
    ...described(part),
  }))
}

function described({ description, ...schema }: Json): Json {
  return { ...(description ? { description } : {}), schema }
}

const idempotencyParameter: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Repeated requests with the same key and body return the first response again. Keys are stored for 24 hours.',
  schema: { type: 'string', maxLength: 255 },
}

const ifNoneMatchParameter: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier response. If the `ETag` is still current, returns `304` without a body.',
  schema: { type: 'string' },
}

function success(route: Route, components: Components): Json {
  const headers: Json = { ...requestIdHeader, ...(route.etag ? etagHeader : {}) }
  for (const [name, description] of Object.entries(route.headers ?? {})) {
    headers[name] = { description, schema: { type: 'string' } }
  }
  if (route.idempotent) {
    headers['idempotent-replayed'] = { description: '`true` if the response is repeated.', schema: { type: 'string' } }
  }
  const answer: Json = { description: route.summary, headers }
  if (route.reply) {
    const content = { schema: components.output(route.reply), ...exampleOf(route.example?.reply) }
    const events = route.streams && { 'text/event-stream': { schema: { type: 'string' } } }
    answer.content = { 'application/json': content, ...events }
  } else if (typeof route.raw === 'string') {
    answer.content = {
      [route.raw]: { schema: route.raw === 'application/json' ? { type: 'object' } : { type: 'string' } },
    }
  }
  return answer
}

function problemResponses(route: Route): Json {
  const byStatus = new Map<number, Map<string, string>>()
  for (const { status, code, when } of getDeclaredProblems(route)) {
    const codes = byStatus.get(status) ?? new Map<string, string>()
    codes.set(code, when)
    byStatus.set(status, codes)
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(statuses.map(([status, codes]) => [status, problemResponse(status, codes)]))
}

export const parseProblems = (description: string): { code: string; when: string }[] =>
  description.split('\n\n').flatMap((line) => {
    const [, code, when] = /^`([a-z0-9_]+)`: (.*)$/s.exec(line) ?? []
    return code === undefined || when === undefined ? [] : [{ code, when }]
  })

function problemResponse(status: number, codes: ReadonlyMap<string, string>): Json {
  const schema = { $ref: '#/components/schemas/ErrorResponse' }
  return {
    description: [...codes].map(([code, when]) => `\`${code}\`: ${when}`).join('\n\n'),
    headers: { ...requestIdHeader, ...(status === 429 || status === 503 ? retryHeader : {}) },
    content: { 'application/json': { schema } },
  }
}
