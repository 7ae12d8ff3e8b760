import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import type { Listener } from '#sql/listen.ts'
import { ask } from '#tasks/queue/ask.ts'
import { type Area, area } from '../../../ingress/http/area.ts'
import { groupedRoute, route } from '../../../ingress/http/route.ts'
import { assignIds, ItemRequest, submit } from './submit.ts'
import { echo } from './work.ts'

const Accepted = z.object({ id: z.string() })
const facts = { method: 'POST', scope: 'stream:write', idempotent: true, status: 202, reply: Accepted } as const

/** Timeout of a request in milliseconds. */
const timeoutMs = 8_000

/**
 * Creates the area of the load: an ordinary route, a grouped route, a route that waits for a worker, and a route that
 * holds a connection.
 */
export function chaosArea(listener: Listener, stranger: string): Area {
  const one = route({
    ...facts,
    path: '/items',
    summary: 'Accept an item',
    body: ItemRequest,
    async handle({ body, db }) {
      const items = assignIds([body])
      await submit(db, items, stranger)
      return { id: items[0]?.id ?? '' }
    },
  })
  const many = groupedRoute({
    ...facts,
    path: '/grouped-items',
    summary: 'Accept a grouped item',
    body: ItemRequest,
    async commit(tx, calls) {
      const items = assignIds(calls.map(({ body }) => body))
      await submit(tx, items, stranger)
      return items.map(({ id }) => ({ id }))
    },
  })
  const question = route({
    method: 'POST',
    path: '/questions',
    scope: 'stream:write',
    summary: 'Call a worker',
    body: z.strictObject({ word: z.string() }),
    status: 200,
    reply: z.object({ word: z.string() }),
    problems: ['upstream_error'],
    handle: async ({ body, db }) => await ask(db, listener, echo, body, { timeout: timeoutMs }),
  })
  const hold = route({
    method: 'POST',
    path: '/holds',
    scope: 'stream:write',
    summary: 'Hold a connection',
    body: z.strictObject({ seconds: z.number().max(60) }),
    status: 200,
    reply: z.object({ seconds: z.number() }),
    handle: async ({ body, db }) => await sleep(db, body.seconds),
  })
  return area({
    name: 'chaos',
    title: 'Chaos',
    description: 'Requests of the chaos test.',
    base: '/v1/chaos',
    platform: true,
    routes: { items: { one, many }, questions: { question }, holds: { hold } },
  })
}

async function sleep(db: DatabasePool, seconds: number): Promise<{ seconds: number }> {
  await db.query(sql.type(z.object({ pg_sleep: z.unknown() }))`select pg_sleep(${seconds})`)
  return { seconds }
}
