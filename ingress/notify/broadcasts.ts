import { z } from 'zod'
import { badRequest, conflict, forbidden } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as recipients from '#sql/notify/broadcast-people.ts'
import * as rows from '#sql/notify/broadcasts.ts'
import * as people from '#sql/notify/people.ts'
import { Channel } from '#sql/notify/preferences.ts'
import * as topics from '#sql/notify/topics.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { endBroadcast, sendBroadcast } from '#tasks/notify/send-broadcast.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Body, Data, DedupeKey, EventType, Link, ProductKey, Title, TopicKey } from './fields.ts'
import { Channels } from './preferences.ts'

/** Maximum number of people that one request can list. */
const mostRecipients = 1_000

/** Maximum number of broadcasts that an organisation can run at the same time. */
const mostRunning = 20

const tooMany = problem(
  409,
  'too_many_broadcasts',
  `An organisation can run up to ${mostRunning} broadcasts at the same time. Wait until one has ended.`,
)

const BroadcastBody = z
  .strictObject({
    recipients: z
      .array(UserId)
      .min(1)
      .max(mostRecipients)
      .optional()
      .describe(`Your own IDs of up to ${mostRecipients} people`),
    topic: TopicKey.optional().describe('Key of a topic, to notify all its people'),
    all: z.literal(true).optional().describe('True to notify all people in the directory'),
    product_key: ProductKey,
    type: EventType,
    title: Title,
    body: Body.optional(),
    data: Data.optional().describe('Values for your app, by name'),
    url: Link.optional().describe('URL to open'),
    dedupe_key: DedupeKey.optional().describe(
      'People who already have an event of the product with this key are not notified again (`duplicate`). Default: each broadcast notifies each person once.',
    ),
    channels: Channels.optional().describe('Channels of the events. They replace the people’s preferences.'),
  })
  .superRefine(({ recipients, topic, all }, { addIssue }) => {
    const given = [recipients, topic, all].filter((one) => one !== undefined).length
    if (given !== 1)
      addIssue({ code: 'custom', path: ['recipients'], message: 'must be set, or `topic`, or `all`, but only one' })
  })

type BroadcastBody = z.infer<typeof BroadcastBody>

export const Broadcast = z
  .object({
    id: Id,
    audience: rows.Audience,
    topic: z.string().nullable().describe('Key of the topic. `null` for other audiences.'),
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    url: z.string().nullable(),
    dedupe_key: z.string().nullable(),
    channels: z.array(Channel).nullable(),
    status: rows.Status,
    reason: z
      .string()
      .nullable()
      .describe('Reason why the broadcast failed: `key_revoked`, `organisation_closing` or `given_up`'),
    total: z.int().describe('Number of people. An estimate while the broadcast is running.'),
    told: z.int().describe('People who were notified'),
    refused: z.int().describe('People who were not notified, for the reason in the list of people'),
    failed: z.int().describe('People whose event could not be stored'),
    created_at: Instant,
    ended_at: Instant.nullable(),
    sandbox: z.literal(true).optional().describe('True for broadcasts of a test key'),
  })
  .meta({ id: 'notify.Broadcast' })

export function present(broadcast: rows.Broadcast): z.input<typeof Broadcast> {
  const { org_id: _, key_id: __, topic_id: ___, last_person: ____, sandbox, ...shown } = broadcast
  return { ...shown, ...(sandbox && { sandbox: true as const }) }
}

export const create = route({
  method: 'POST',
  path: '/broadcasts',
  summary: 'Notify many people',
  description:
    'Sends one event to up to 1,000 `recipients`, to the people of a `topic`, or to all people in the directory. Each person gets an event as with `POST /v1/notify/events`, with their own preferences, or a workflow run. People who are added after the request are not included.',
  scope: 'notify:write',
  testKeys: 'sandbox',
  locks: ['from_domains', 'app_id'],
  body: BroadcastBody,
  idempotent: true,
  enqueues: sendBroadcast,
  status: 202,
  reply: Broadcast,
  problems: ['forbidden', tooMany],
  example: {
    body: {
      topic: 'release-notes',
      product_key: 'shop',
      type: 'release.published',
      title: 'Version 2 is available',
    },
  },
  async handle({ body, org, key, db }) {
    const sandbox = key.mode === 'test'
    if (sandbox && body.recipients === undefined)
      throw forbidden('A test key cannot use topics and people, which are live data. Set `recipients`.')
    await lockOrgLimit(db, org.id, 'notify.broadcasts')
    if ((await rows.countRunning(db, org.id)) >= mostRunning) throw tooMany(tooMany.when)
    const topic = body.topic === undefined ? null : await topics.lock(db, org.id, body.topic)
    if (body.topic !== undefined && !topic)
      throw badRequest([{ field: 'body.topic', issue: 'must be a topic of your organisation' }])
    const listed = new Map((body.recipients ?? []).map((subject) => [getPersonId(subject), subject]))
    const audience = body.recipients ? 'recipients' : topic ? 'topic' : 'all'
    const topic_id = topic?.id ?? null
    const total =
      audience === 'recipients' ? listed.size : await recipients.countCandidates(db, { org_id: org.id, topic_id })
    const broadcast = await rows.insert(db, {
      ...{ id: newId(), org_id: org.id, key_id: key.id, sandbox, audience, topic_id, topic: topic?.key ?? null, total },
      ...contentOf(body),
    })
    await addListed(db, broadcast, listed)
    await enqueue(db, sendBroadcast, { broadcastId: broadcast.id }, { orgId: org.id })
    return present(broadcast)
  },
})

const contentOf = ({ product_key, type, title, body, data = {}, url, dedupe_key, channels }: BroadcastBody) => ({
  ...{ product_key, type, title, data, body: body ?? null, url: url ?? null },
  dedupe_key: dedupe_key ?? null,
  channels: channels ?? null,
})

/** Adds the listed people. A test key does not read the directory. */
async function addListed(tx: Db, { id, org_id, sandbox }: rows.Broadcast, listed: ReadonlyMap<string, string>) {
  const persons = [...listed].map(([user_id, subject]) => ({ broadcast_id: id, org_id, user_id, subject }))
  const known = sandbox ? [] : await people.findMany(tx, persons)
  const idOf = new Map(known.map((person) => [person.user_id, person.id]))
  await recipients.addMany(
    tx,
    persons.map((person) => ({ ...person, person_id: idOf.get(person.user_id) ?? null })),
  )
}

/** A locked key can read only its own broadcasts, because others may use other domains or apps. */
const visibleTo = ({ id, mode, locks }: Caller['key']): rows.Visible => ({
  sandbox: mode === 'test',
  keyId: locks.from_domains === undefined && locks.app_id === undefined ? undefined : id,
})

const access = { testKeys: 'sandbox', locks: ['from_domains', 'app_id'] } as const

export const list = listRoute({
  path: '/broadcasts',
  summary: 'List broadcasts, newest first',
  description: 'Returns broadcasts with their progress. A test key lists only the broadcasts of test keys.',
  scope: 'notify:read',
  ...access,
  filters: rows.filters,
  query: { status: rows.Status.optional(), topic: TopicKey.optional() },
  item: Broadcast,
  rows: ({ org, key, db }, page) => rows.list(db, org.id, { ...page, ...visibleTo(key) }),
  present,
})

const ofOne = { params: z.object({ id: pathId('broadcast') }), status: 200, problems: ['not_found'] } as const

export const read = route({
  ...ofOne,
  method: 'GET',
  path: '/broadcasts/{id}',
  summary: 'Read a broadcast and its progress',
  description: 'Returns the broadcast with the number of people who were notified, refused and failed.',
  scope: 'notify:read',
  ...access,
  reply: Broadcast,
  async handle({ params: { id }, org, key, db }) {
    return present(await mustFind(rows.find(db, org.id, id, visibleTo(key)), 'broadcast'))
  },
})

export const cancel = route({
  ...ofOne,
  method: 'POST',
  path: '/broadcasts/{id}/cancel',
  summary: 'Cancel a broadcast',
  description:
    'Nobody else is notified. People who are still waiting are refused (`cancelled`). Events that were sent remain. Returns `409` if the broadcast has ended.',
  scope: 'notify:write',
  ...access,
  reply: Broadcast,
  problems: ['not_found', 'conflict'],
  async handle({ params: { id }, org, key, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(rows.find(tx, org.id, id, visibleTo(key)), 'broadcast')
      const ended = await endBroadcast(tx, id, { status: 'cancelled', reason: null })
      if (!ended) throw conflict('The broadcast has already ended.')
      return present(ended)
    })
  },
})

export const listPeople = listRoute({
  ...{ path: '/broadcasts/{id}/people', params: ofOne.params, problems: ['not_found'] },
  summary: 'List the people of a broadcast',
  description: 'Returns the people with their outcome. People of a topic appear when they are processed.',
  scope: 'notify:read',
  ...access,
  filters: recipients.filters,
  query: { outcome: recipients.Outcome.optional() },
  item: z
    .object({
      user_id: z.string(),
      outcome: recipients.Outcome,
      reason: z
        .string()
        .nullable()
        .describe('For example, `preference`, `no_address`, `duplicate`, `person_removed` or `cancelled`'),
      event_id: Id.nullable(),
      at: Instant,
    })
    .meta({ id: 'notify.BroadcastPerson' }),
  async rows({ params: { id }, org, key, db }, page) {
    await mustFind(rows.find(db, org.id, id, visibleTo(key)), 'broadcast')
    return await recipients.list(db, id, page)
  },
  present: ({ subject, outcome, reason, event_id, at }: recipients.Recipient) => ({
    ...{ user_id: subject, outcome, reason, event_id, at },
  }),
})
