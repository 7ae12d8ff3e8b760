import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'koa'
import { config } from '#lib/config.ts'
import type { Area, Operation } from '../area.ts'
import type { Route } from '../route.ts'
import { errorSchemas } from './errors.ts'
import { operationObject } from './operation.ts'
import { createComponents, type Json } from './schemas.ts'
import { documentSender } from './sender.ts'
import { webhooksObject } from './webhooks.ts'

export interface OperationEntry {
  area: { name: string; title: string; base_path: string }
  id: string
  method: string
  path: string
  summary: string
  scope: string | string[] | null
  site: boolean
  testKeys: Route['testKeys']
  locks: Route['locks']
}

const apiVersion = '1.0.0'

const description = `Errors have the form \`{"error":{"code","message","details"?,"request_id"}}\`. For a 400, \`details\` contains every invalid field.
Unknown body fields and query parameters are rejected, so a misspelt option is never ignored. Every response has the header
\`x-request-id\`. Lists take \`limit\` and \`cursor\` and return \`{"data":[…],"next_cursor":…}\`. Responses of operations with a
key have the headers \`ratelimit-limit\`, \`ratelimit-remaining\` and \`ratelimit-reset\`. Responses 429 and 503 have \`retry-after\` in seconds. For a 429,
\`details.limit\` contains the name of the limit. Calls with a public key (\`bt_site_\`) are limited per visitor and per key, separately from server keys.`

export const createOpenapi = (areas: readonly Area[]): Json => advanced(steps(areas), Number.POSITIVE_INFINITY) as Json

function* steps(areas: readonly Area[]): Generator<undefined, Json, undefined> {
  const components = createComponents()
  const paths: Record<string, Json> = {}
  const tags = new Map<string, Json>()
  const documented = documentedOf(areas)
  // Paths that differ only in parameter names are the same path (OpenAPI 3.1 §4.8.8.2). The names of the first path are
  // used for all.
  const named = new Map<string, string>()
  for (const operation of documented) {
    const { area, route } = operation
    const nameless = operation.path.replace(/\{\w+\}/g, '{}')
    const path = named.get(nameless) ?? operation.path
    named.set(nameless, path)
    tags.set(area.name, { name: area.name, description: area.description })
    const item = paths[path] ?? {}
    item[route.method.toLowerCase()] = operationObject(operation, path, components)
    paths[path] = item
    yield
  }
  return {
    openapi: '3.1.0',
    info: {
      title: areas.length === 1 && areas[0] ? `Millrace: ${areas[0].title}` : 'Millrace',
      version: apiVersion,
      description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    // Without a configured URL, clients call the server from which they got the document.
    servers: [{ url: config.PUBLIC_URL ?? '/' }],
    tags: [...tags.values()],
    paths,
    // The webhooks of all areas are in the document of the account area, because they are sent to organisations.
    ...(areas.some(({ name }) => name === 'account') && { webhooks: webhooksObject(components) }),
    components: {
      ...securitySchemes(documented),
      schemas: { ...errorSchemas(documented), ...components.schemas },
    },
  }
}

function securitySchemes(operations: readonly Operation[]): Json {
  const guarded = operations.filter(({ route }) => !route.public)
  if (guarded.length === 0) return {}
  const bearer = { type: 'http', scheme: 'bearer', description: 'API key: `Authorization: Bearer <key>`.' }
  const apiKey = { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'API key.' }
  return { securitySchemes: guarded.some(({ area }) => area.platform) ? { bearer, apiKey } : { bearer } }
}

export interface Documents {
  textOf(base?: string): string
  send(ctx: Context, base?: string): Promise<void>
}

/** Maximum time in milliseconds that creating a document can block other requests. */
const turnMs = 8

export function createDocuments(areas: readonly Area[]): Documents {
  const making = new Map<string | undefined, Generator<undefined, Json, undefined>>()
  const texts = new Map<string | undefined, string>()

  function advance(base: string | undefined, ms: number): string | undefined {
    const known = texts.get(base)
    if (known !== undefined) return known
    const wanted = base === undefined ? areas : areas.filter((area) => area.base === base).map(contractOf)
    const begun = making.get(base) ?? steps(wanted)
    making.delete(base)
    const document = advanced(begun, ms)
    if (!document) making.set(base, begun)
    else texts.set(base, JSON.stringify(document))
    return texts.get(base)
  }

  const textOf = (base?: string): string => advance(base, Number.POSITIVE_INFINITY) as string

  async function textInTurns(base: string | undefined): Promise<string> {
    for (;;) {
      const text = advance(base, turnMs)
      if (text !== undefined) return text
      await nextTurn()
    }
  }

  return { textOf, send: documentSender(textInTurns) }
}

function advanced<Made>(making: Generator<undefined, Made, undefined>, ms: number): Made | undefined {
  const until = performance.now() + ms
  do {
    const { done, value } = making.next()
    if (done) return value
  } while (performance.now() < until)
  return undefined
}

export function listOperations(areas: readonly Area[]): OperationEntry[] {
  return documentedOf(areas).map(({ id, area, path, route }) => ({
    area: { name: area.name, title: area.title, base_path: area.base },
    id,
    method: route.method,
    path,
    summary: route.summary,
    scope: route.scope === undefined ? null : typeof route.scope === 'string' ? route.scope : [...route.scope],
    site: route.site === true,
    testKeys: route.testKeys,
    locks: route.locks,
  }))
}

const documentedOf = (areas: readonly Area[]) =>
  areas.flatMap(({ operations }) => operations).filter(({ route }) => !route.hidden)

const contractOf = (area: Area): Area => ({
  ...area,
  operations: area.operations.filter(({ route }) => !route.beyondContract),
})
