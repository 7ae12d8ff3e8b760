import { areas } from '../../ingress/areas.ts'
import { provide } from '../../ingress/http/container.ts'
import { encodeCursor } from '../../ingress/http/lists/cursor.ts'
import { createOpenapi } from '../../ingress/http/openapi/document.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { forEachConcurrently } from '../../lib/concurrency.ts'
import { unavailable } from '../../lib/errors.ts'
import type { Storage } from '../../lib/storage/storage.ts'
import { askStream } from './ask-stream.ts'
import { testDatabase } from './database.ts'
import {
  cursors,
  extremesOf,
  operationsOf,
  places,
  plainOf,
  resolver,
  type Schema,
  someId,
  type Walked,
} from './extremes.ts'
import { type Ask, type TestScope, testIngress, testOrg } from './ingress.ts'
import { sample } from './sample.ts'

type Document = Parameters<typeof operationsOf>[0]

/** Path, query and body of a request. */
interface Sent {
  request: string
  body?: unknown
}

/** Requests of streams, which do not end. */
const streams = new RegExp(
  `^GET (${areas
    .flatMap(({ operations }) => operations)
    .filter(({ route }) => route.method === 'GET' && route.raw === 'text/event-stream')
    .map(({ path }) => path.replaceAll(/\{\w+\}/g, '[^/?]+'))
    .join('|')})(\\?|$)`,
)

/** An unavailable storage. */
const noStorage = new Proxy({} as Storage, { get: () => async () => Promise.reject(unavailable('Storage is away.')) })

/**
 * Sends the boundary values, or each n-th of them, to each operation of the document. Returns the number of requests,
 * and those with a 500.
 */
export async function walk(t: TestScope, { bodies, n = 1 }: { bodies: 'times and numbers' | 'all'; n?: number }) {
  const { db } = await testDatabase(t)
  const { ask, url } = await testIngress(t, db, [], {
    services: [provide(signingSecret, 's'.repeat(32)), provide(storage, noStorage)],
  })
  const scopes = [...new Set(areas.flatMap(({ operations }) => operations).flatMap(({ route }) => route.scope ?? []))]
  const key = (await testOrg(db, scopes)).keys.main
  const document = createOpenapi(areas) as unknown as Document
  const resolve = resolver(document)
  const sent = operationsOf(document).flatMap((operation, at) => {
    const own = operation.body && !operation.waits ? bodiesOf(operation, operation.body, resolve, bodies === 'all') : []
    return sample([...parametersOf(operation, resolve), ...own], n, at)
  })
  const faults: string[] = []
  await forEachConcurrently(sent, 12, async ({ request, body }) => {
    const options: Ask = { key, ...(body === undefined ? {} : { body }) }
    const isStream = body === undefined && streams.test(request)
    const reply = isStream ? await askStream(url, request, key) : await ask(request, options)
    if (reply.status === 500) faults.push(`${request} ${JSON.stringify(body)?.slice(0, 300) ?? ''}: ${reply.text}`)
  })
  return { count: sent.length, faults }
}

function parametersOf({ id, method, path, parameters }: Walked, resolve: (schema: Schema) => Schema): Sent[] {
  if (method !== 'GET' && method !== 'DELETE') return []
  const inQuery = parameters.filter((one) => one.in === 'query')
  const plain = inQuery.filter(({ required }) => required).map(({ name, schema }) => [name, plainOf(schema, resolve)])
  const named = (value: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(value))
  const ofPath = path.includes('{') ? ['%00', '\0', 'é'.repeat(500), '9999999999', '0'].map(named) : []
  const ofQuery = inQuery.flatMap(({ name, schema }) =>
    (name === 'cursor'
      ? [...cursors, ...givenOut(id, path, Object.fromEntries(plain))]
      : extremesOf(schema, resolve)
    ).map((value) => {
      const query = new URLSearchParams(Object.fromEntries([...plain, [name, textOf(value)]]) as Record<string, string>)
      return `${named(someId)}?${query}`
    }),
  )
  return [...ofPath, ...ofQuery].map((where) => ({ request: `${method} ${where}` }))
}

/** Returns cursors in the form of the list, for positions that it does not have. */
function givenOut(id: string, path: string, plain: Record<string, unknown>): string[] {
  const operation = areas.flatMap(({ operations }) => operations).find((one) => one.id === id)
  const query = operation?.route.query?.safeParse(plain).data ?? {}
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const params = Object.fromEntries(names.map((name) => [name, someId]))
  return places.map((place) => encodeCursor({ operation: id, params, query }, place))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()

/** Returns bodies that differ from a valid one in one field. */
function bodiesOf({ method, path }: Walked, body: Schema, resolve: (schema: Schema) => Schema, all: boolean): Sent[] {
  const given = resolve(body)
  const plain = plainOf(given, resolve) as Record<string, unknown>
  const fields = Object.entries(given.properties ?? {})
  const request = `${method} ${path.replaceAll(/\{\w+\}/g, someId)}`
  return fields.flatMap(([name, schema]) =>
    extremesOf(schema, resolve)
      .filter((value) => all || typeof value === 'number' || /^\d{4}-\d\d-\d\d/.test(String(value)))
      .map((value) => ({ request, body: { ...plain, [name]: value } })),
  )
}
