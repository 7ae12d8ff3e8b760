import { z } from 'zod'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import * as calls from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import { findReachedBudget } from '#tasks/account/rules/budget-reached.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { dial } from '#tasks/voice/dial.ts'
import { recordTestCall } from '#tasks/voice/rules/test-calls.ts'
import { ownBudget, problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Call, presentCall } from './call-shape.ts'
import { demandCalls } from './calls-lock.ts'
import { checkCall, checkTestCall } from './fraud.ts'

const notConfigured = problem(503, 'not_configured', 'No SIP trunk is set up (`SIP_TRUNKS`).')

const number = z.string().max(40)
const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((given) => Object.keys(given).length <= 20, 'must have at most 20 fields')

export const create = route({
  method: 'POST',
  path: '/click-to-call',
  summary: 'Connect two numbers',
  description:
    'Calls `from`, then `to`, and connects the two. `from` hears silence while `to` rings. The response does not wait for the call. Read its progress with `GET /calls/{call_id}`.',
  scope: 'voice:read',
  testKeys: 'sandbox',
  locks: ['calls'],
  idempotent: true,
  body: z.strictObject({
    from: number.describe('Number that rings first, in E.164 format'),
    to: number.describe('E.164'),
    caller_id: number.optional().describe('One of your numbers, which both people see. Default: your oldest number.'),
    ring_timeout_seconds: z.int().min(10).max(60).default(30).describe('Ring time of each phone in seconds'),
    max_duration_seconds: z.int().min(1).max(14_400).default(3_600),
    metadata: metadata.default({}),
  }),
  status: 200,
  reply: Call,
  problems: ['forbidden', 'rate_limited', notConfigured, ownBudget],
  enqueues: dial,
  example: { body: { from: '+3726000001', to: '+3725000001' } },
  async handle({ body, org, key, db }) {
    demandCalls(key)
    if (key.mode === 'test') {
      const { ring_timeout_seconds: ringTimeoutSeconds, max_duration_seconds: maxDurationSeconds, metadata } = body
      const numbers = await checkTestCall(db, { orgId: org.id, keyId: key.id }, body)
      const rest = { ringTimeoutSeconds, maxDurationSeconds, metadata }
      return await recordTestCall(db, { orgId: org.id, keyId: key.id, ...numbers, ...rest })
    }
    if (config.SIP_TRUNKS.length === 0)
      throw notConfigured('No SIP trunk is set up. Ask your operator to set `SIP_TRUNKS`.')
    await calls.lockOrg(db, org.id)
    const { from, to, callerId } = await checkCall(db, { orgId: org.id, keyId: key.id }, body)
    const id = newId()
    const { ring_timeout_seconds, max_duration_seconds, metadata } = body
    // The time is longer than the call can wait and last. The reservation is settled when the call ends.
    const seconds = max_duration_seconds + 3_600
    const about = { id, orgId: org.id, amount: max_duration_seconds, seconds }
    if (!(await budgets.reserve(db, 'voice.seconds', about))) throw await findReachedBudget(db, org.id, 'voice.seconds')
    const call = await calls.insert(
      db,
      { id, org_id: org.id, key_id: key.id, caller_id: callerId, ring_timeout_seconds, max_duration_seconds, metadata },
      { a: from, b: to },
    )
    await enqueue(db, dial, { callId: id }, { orgId: org.id })
    return presentCall(call, (await legs.listByCalls(db, [id])).get(id) ?? [])
  },
})
