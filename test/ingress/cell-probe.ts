import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { makeKey } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { area } from '../../ingress/http/area.ts'
import { type EventStream, openEventStream } from '../../ingress/http/event-stream.ts'
import { route } from '../../ingress/http/route.ts'
import { stopping } from '../../ingress/http/services.ts'
import type { TestCell } from '../support/cells.ts'
import { testOrg } from '../support/ingress.ts'

export type Name = 'a' | 'b' | 'c'
export const said: Record<Name, number> = { a: 0, b: 0, c: 0 }
export const streams: Record<Name, EventStream[]> = { a: [], b: [], c: [] }
export const known: Record<Name, Set<string>> = { a: new Set(), b: new Set(), c: new Set() }

export const Told = z.object({
  cell: z.string(),
  text: z.string(),
  ip: z.string(),
  origin: z.string(),
  seen: z.string(),
})

export const probe = (cell: Name) => {
  const echo = route({
    method: 'POST',
    path: '/echo',
    summary: 'Say it again',
    scope: 'files:write',
    status: 200,
    body: z.strictObject({ text: z.string() }),
    reply: Told,
    headers: { 'x-of-cell': 'The cell' },
    async handle({ body, ip, origin, header, set }) {
      said[cell]++
      set('x-of-cell', cell)
      const names = ['x-hopped', 'connection', 'millrace-hop', 'x-forwarded-for', 'x-kept']
      return { cell, text: body.text, ip, origin, seen: names.map((name) => header(name) ?? '-').join(' ') }
    },
  })
  const watch = route({
    method: 'GET',
    path: '/stream',
    summary: 'Watch',
    scope: 'files:write',
    status: 200,
    raw: 'text/event-stream',
    async handle({ ctx, services }) {
      streams[cell].push(openEventStream(ctx, { stopping: services(stopping) }))
    },
  })
  const half = route({
    method: 'GET',
    path: '/half',
    summary: 'Begin an answer',
    scope: 'files:write',
    status: 200,
    raw: 'text/plain',
    async handle({ ctx }) {
      ctx.respond = false
      ctx.res.write('half')
    },
  })
  const seek = (id: string) => {
    if (!known[cell].has(id)) throw notFound('thing')
    return { cell }
  }
  const Seek = z.object({ id: z.guid() })
  const shared = { public: true, params: Seek, status: 200, reply: z.object({ cell: z.string() }) } as const
  const find = route({
    ...shared,
    ignoresOtherQuery: true,
    method: 'GET',
    path: '/things/{id}',
    summary: 'Find',
    problems: ['not_found'],
    handle: async ({ params }) => seek(params.id),
  })
  const change = route({
    ...shared,
    method: 'POST',
    path: '/things/{id}',
    summary: 'Change',
    problems: ['not_found'],
    body: z.object({ n: z.int() }),
    handle: async ({ params }) => seek(params.id),
  })
  const routes = { probe: { echo, watch, half, find, change } }
  return [area({ name: 'probe', title: 'Probe', description: '', base: '/probe', platform: true, routes })]
}

export async function orgOf({ db, name }: TestCell, said = name) {
  const { org } = await testOrg(db, [], { keys: {} })
  const secret = makeKey('bt_live_', said)
  await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'k', scopes: ['files:write'], secret })
  return { id: org.id, key: secret }
}

export const echo = (cell: TestCell, key: string, text = 'x', headers: Record<string, string> = {}) =>
  cell.ask('POST /probe/echo', { key, body: { text }, headers })
