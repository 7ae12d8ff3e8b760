import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { mapInTurns } from '#lib/turns.ts'
import type { Caller } from '#sql/account/keys.ts'
import { type Db, isRowFault } from '#sql/db.ts'
import { recordEvents } from '#tasks/notify/rules/record-events.ts'
import { recordTestEvents } from '#tasks/notify/rules/test-events.ts'
import { sendCopies } from '#tasks/notify/send-copies.ts'
import { parseWithFaults } from '../http/request/issues.ts'
import { checkText } from '../http/request/json.ts'
import { route } from '../http/route.ts'
import { completeReply } from '../http/stored-reply.ts'
import { Event, EventBody, present, refusalOf, wantedOf } from './events.ts'

const mostEvents = 100

/** Maximum number of concurrent batches per process, and per organisation. */
const atOnce = { requests: 8, ofOne: 4 }

/** Schema for the documentation only. Each event is validated separately, so that each event has its own error. */
const Given = z.unknown().meta(described())

function described(): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(EventBody, { io: 'input', unrepresentable: 'any' })
  return schema
}

const Accepted = Event.extend({ accepted: z.literal(true), index: z.int(), deduplicated: z.boolean() }).meta({
  id: 'notify.AcceptedEvent',
})

const Refused = z.object({
  accepted: z.literal(false),
  index: z.int(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.unknown().optional().describe('Same as for a single event. For `bad_request`, the invalid fields.'),
  }),
})

export const create = route({
  method: 'POST',
  path: '/events/batch',
  summary: 'Send up to 100 events',
  description:
    'Each event is accepted or rejected separately. The results are in the order of `events`. The `Idempotency-Key` applies to the batch. Repeating an event with a `dedupe_key` returns the first event.',
  scope: 'notify:write',
  testKeys: 'sandbox',
  locks: ['from_domains', 'app_id'],
  bodyLimit: 4 * 1024 * 1024,
  itemsApart: 'events',
  atOnce,
  body: z.strictObject({ events: z.array(Given).min(1).max(mostEvents) }),
  idempotent: true,
  enqueues: sendCopies,
  status: 200,
  reply: z.object({
    accepted: z.int().describe('Number of accepted events, including deduplicated ones'),
    refused: z.int(),
    data: z
      .array(z.discriminatedUnion('accepted', [Accepted, Refused]))
      .describe('One result per event, in the order of `events`'),
  }),
  example: {
    body: {
      events: ['customer-17', 'customer-18'].map((subject_user_id) => ({
        product_key: 'shop',
        type: 'order.shipped',
        subject_user_id,
        title: 'Your order is on its way',
      })),
    },
  },
  // Runs outside the transaction, because reading a large batch takes a while.
  prepare: ({ body }) => mapInTurns(body.events, readEvent),
  async handle({ org, key, prepared, db }) {
    const judged = prepared.map((one) =>
      'faults' in one ? badRequest(one.faults) : (refusalOf({ key, ...one }) ?? one),
    )
    const sound = judged.flatMap((one) => (one instanceof Problem ? [] : [one.body]))
    const recorded = [...(await record(db, { org, key }, sound))]
    const data = judged.map((one, index) => {
      const answer = one instanceof Problem ? one : recorded.shift()
      return answer === undefined || answer instanceof Problem
        ? refusedAt(index, answer ?? notStored())
        : { ...answer, accepted: true as const, index }
    })
    const accepted = data.filter((one) => one.accepted).length
    return { accepted, refused: data.length - accepted, data }
  },
})

type Told = z.input<typeof Event> & { deduplicated: boolean }

const notStored = () => new Problem(400, 'bad_request', 'The event could not be stored. Check its texts and values.')

/** Records events together. If that fails because of one event, records each event separately. */
async function record(
  tx: Db,
  caller: Pick<Caller, 'org' | 'key'>,
  bodies: readonly EventBody[],
): Promise<readonly (Told | Problem)[]> {
  if (bodies.length === 0) return []
  try {
    return await tx.transaction((inner) => recordAll(inner, caller, bodies))
  } catch (error) {
    if (!isRowFault(error)) throw error
    if (bodies.length === 1) return [notStored()]
    const told: (Told | Problem)[] = []
    for (const body of bodies) told.push(...(await record(tx, caller, [body])))
    return told
  }
}

async function recordAll(
  tx: Db,
  { org, key }: Pick<Caller, 'org' | 'key'>,
  bodies: readonly EventBody[],
): Promise<Told[]> {
  const wanted = bodies.map((body) => wantedOf({ org, key, body }))
  if (key.mode === 'test')
    return (await recordTestEvents(tx, wanted)).map((one) => ({
      ...completeReply(Event, one.record),
      deduplicated: one.deduplicated,
    }))
  return (await recordEvents(tx, wanted)).map(({ event, deduplicated }) => ({ ...present(event), deduplicated }))
}

function readEvent(given: unknown, index: number): { body: EventBody } | { faults: Fault[] } {
  const faults: Fault[] = []
  const place = `body.events.${index}`
  checkText(given, place, faults)
  const body = parseWithFaults(EventBody, given, place, faults)
  return faults.length > 0 ? { faults } : { body: body as EventBody }
}

const refusedAt = (index: number, { code, message, details }: Problem) => ({
  ...{ accepted: false as const, index, error: { code, message, details } },
})
