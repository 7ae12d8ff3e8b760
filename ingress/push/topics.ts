import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/push/subscriptions.ts'
import * as users from '#sql/push/users.ts'
import { Instant } from '../http/instant.ts'
import { listRoute, orderedListRoute } from '../http/lists/pagination.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { findOwnApp } from './apps/own-app.ts'
import { Topic, UserId } from './fields.ts'

/** Maximum number of users and devices in one request. */
const most = 1_000

const params = z.object({ app_id: pathId('app'), topic: Topic })

const Subscribers = z
  .strictObject({
    user_ids: z.array(UserId).max(most).default([]).describe('Users, with all of their current and future devices'),
    installation_ids: z.array(Id).max(most).default([]).describe('Single devices'),
  })
  .refine(({ user_ids, installation_ids }) => user_ids.length + installation_ids.length > 0, {
    path: ['user_ids'],
    message: 'is required, unless you set `installation_ids`',
  })

export const subscribe = route({
  method: 'POST',
  path: '/apps/{app_id}/topics/{topic}/subscribe',
  repeatable: true,
  summary: 'Subscribe users or devices to a topic',
  description:
    'The topic exists as soon as it has a subscription. Unknown users are registered. An unknown device returns `400`.',
  scope: 'push:send',
  locks: ['app_id'],
  params,
  body: Subscribers,
  status: 200,
  reply: z.object({ topic: z.string(), users: z.int(), installations: z.int() }),
  problems: ['not_found'],
  example: { body: { user_ids: ['user-17', 'user-18'] } },
  async handle({ params: { app_id, topic }, body, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, app_id)
    const of = { org_id: org.id, app_id: app.id }
    const wanted = [...new Set(body.installation_ids)]
    return await db.transaction(async (tx) => {
      const people = await users.putMany(tx, of, body.user_ids)
      const devices = await rows.lockDevices(tx, app.id, wanted)
      const known = new Set(devices.map(({ installation_id }) => installation_id))
      const missing = wanted.filter((id) => !known.has(id))
      if (missing.length > 0) {
        const issue = `the app has no device ${missing.slice(0, 5).join(', ')}`
        throw badRequest([{ field: 'body.installation_ids', issue }])
      }
      const whole = people.map((push_user_id) => ({ push_user_id, installation_id: null }))
      await rows.insertMany(tx, { ...of, topic }, [...whole, ...devices])
      return { topic, users: people.length, installations: devices.length }
    })
  },
})

export const unsubscribe = route({
  method: 'POST',
  path: '/apps/{app_id}/topics/{topic}/unsubscribe',
  repeatable: true,
  summary: 'Unsubscribe users or devices from a topic',
  description:
    'Pending deliveries are not sent. Subscriptions of users and of single devices are independent. To stop all messages, end both.',
  scope: 'push:send',
  locks: ['app_id'],
  params,
  body: Subscribers,
  status: 200,
  reply: z.object({ topic: z.string(), ended: z.int() }),
  problems: ['not_found'],
  example: { body: { user_ids: ['user-17'] } },
  async handle({ params: { app_id, topic }, body, org, key, db }) {
    const app = await findOwnApp(db, { org, key }, app_id)
    const of = { app_id: app.id, topic }
    const ended = await rows.removeMany(db, of, { userIds: body.user_ids, installationIds: body.installation_ids })
    return { topic, ended }
  },
})

export const list = orderedListRoute({
  path: '/apps/{app_id}/topics',
  summary: 'List topics by name',
  description: 'Returns the topics of the app that have at least one subscription.',
  scope: 'push:manage',
  locks: ['app_id'],
  params: z.object({ app_id: pathId('app') }),
  item: z.object({ topic: z.string() }).meta({ id: 'push.Topic' }),
  problems: ['not_found'],
  key: Topic,
  keyOf: ({ topic }: { topic: string }) => topic,
  async rows({ params, org, key, db }, page) {
    const app = await findOwnApp(db, { org, key }, params.app_id)
    return (await rows.listTopics(db, app.id, page)).map((topic) => ({ topic }))
  },
  present: (row: { topic: string }) => row,
})

export const subscriptions = listRoute({
  path: '/apps/{app_id}/topics/{topic}/subscriptions',
  summary: 'List subscriptions to a topic, newest first',
  description: 'Returns the users and devices that are subscribed to the topic.',
  scope: 'push:manage',
  locks: ['app_id'],
  params,
  item: z
    .object({
      id: Id,
      user_id: z.string().nullable(),
      installation_id: Id.nullable().describe(
        'ID of the device. `null` if the subscription is for all devices of the user.',
      ),
      created_at: Instant,
    })
    .meta({ id: 'push.Subscription' }),
  problems: ['not_found'],
  async rows({ params: { app_id, topic }, org, key, db }, page) {
    const app = await findOwnApp(db, { org, key }, app_id)
    return await rows.list(db, { app_id: app.id, topic }, page)
  },
  present: (row) => row,
})
