import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { findRecord } from '#sql/account/test-messages.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import { emitCalls } from '#tasks/voice/rules/emit-call.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { completeReply } from '../http/stored-reply.ts'
import { Call, presentCall } from './call-shape.ts'
import { demandCalls } from './calls-lock.ts'

const params = z.object({ call_id: pathId('call') })

export const list = listRoute({
  path: '/calls',
  summary: 'List calls',
  description: 'Returns calls, newest first. `status` selects calls in one state.',
  scope: 'voice:read',
  filters: rows.filters,
  query: { status: z.enum(rows.statuses).optional() },
  item: Call,
  rows: async ({ org, db }, page) => await withLegs(db, await rows.list(db, org.id, page)),
  present: ({ call, legs }) => presentCall(call, legs),
})

export const read = route({
  method: 'GET',
  path: '/calls/{call_id}',
  summary: 'Read a call',
  description: 'Returns the call with the state of both legs and the reason why it ended.',
  scope: 'voice:read',
  testKeys: 'sandbox',
  params,
  status: 200,
  reply: Call,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const tested = await findRecord(db, org.id, 'voice', params.call_id)
    if (tested) return completeReply(Call, tested)
    if (key.mode === 'test') throw notFound('call')
    return await shown(db, await mustFind(rows.find(db, org.id, params.call_id), 'call'))
  },
})

export const hangUp = route({
  method: 'DELETE',
  path: '/calls/{call_id}',
  summary: 'Hang up a call',
  description:
    'A queued call ends immediately. Other calls are hung up on both phones within a second. Repeating the request has no further effect.',
  scope: 'voice:read',
  testKeys: 'sandbox',
  locks: ['calls'],
  params,
  status: 200,
  reply: Call,
  problems: ['not_found'],
  async handle({ params: { call_id: id }, org, key, db }) {
    demandCalls(key)
    const tested = await findRecord(db, org.id, 'voice', id)
    if (tested) return completeReply(Call, tested)
    // Test calls do not use a trunk, and a test key must not end a call of a live key. So every call is unknown to a
    // test key.
    if (key.mode === 'test') throw notFound('call')
    const ended = await db.transaction(async (tx) => {
      const asked = await rows.requestHangup(tx, org.id, id)
      if (asked?.status === 'canceled') await emitCalls(tx, [asked])
      return asked
    })
    return await shown(db, ended ?? (await mustFind(rows.find(db, org.id, id), 'call')))
  },
})

async function withLegs(db: DatabasePool, found: readonly rows.Call[]) {
  const all = await legs.listByCalls(
    db,
    found.map(({ id }) => id),
  )
  return found.map((call) => ({ id: call.id, call, legs: all.get(call.id) ?? [] }))
}

async function shown(db: DatabasePool, call: rows.Call): Promise<z.input<typeof Call>> {
  return presentCall(call, (await legs.listByCalls(db, [call.id])).get(call.id) ?? [])
}
