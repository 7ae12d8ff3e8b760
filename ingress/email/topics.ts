import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { TopicState } from '#sql/email/contacts.ts'
import * as rows from '#sql/email/topics.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { line, TopicKey } from './fields.ts'

const tooMany = problem(409, 'too_many_topics', `The organisation already has ${rows.maxPerOrg} topics.`)
const taken = problem(409, 'topic_exists', 'The organisation already has a topic with this key.')
const inUse = problem(409, 'topic_in_use', 'A campaign that has not ended uses the topic.')

const params = z.object({ key: TopicKey })

const { visibility } = rows.table.Row.shape

const fields = {
  name: line(100).trim().min(1).describe('Name on the preference page'),
  description: line(500).trim().min(1).nullable().optional().describe('Optional. Shown on the preference page.'),
  default_state: TopicState.describe(
    'State of contacts who have not chosen. With `unsubscribed`, only contacts who choose the topic receive its messages.',
  ),
  visibility: visibility.describe(
    '`private`: the preference page shows the topic only to contacts who are subscribed to it',
  ),
}

const Topic = z
  .object({
    id: rows.table.Row.shape.id,
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    default_state: TopicState,
    visibility,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'email.Topic' })

const present = ({ org_id: _, ...topic }: rows.Topic): z.input<typeof Topic> => topic

export const create = route({
  method: 'POST',
  path: '/topics',
  summary: 'Create an email topic',
  description:
    'Contacts subscribe to each email topic separately. Set `topic` in a message or a campaign to send only to contacts who are subscribed to it.',
  scope: 'email:manage',
  body: z.strictObject({
    key: TopicKey.describe('Key of the topic. It cannot be changed.'),
    ...fields,
    default_state: fields.default_state.default('subscribed'),
    visibility: fields.visibility.default('public'),
  }),
  idempotent: true,
  status: 201,
  reply: Topic,
  problems: [tooMany, taken],
  example: { body: { key: 'product-news', name: 'Product news', description: 'New features, once a month' } },
  async handle({ body: { description = null, ...topic }, org, db }) {
    const added = await rows.insert(db, { id: newId(), org_id: org.id, description, ...topic })
    if (added === 'full')
      throw tooMany(`An organisation can have ${rows.maxPerOrg} topics. Delete one first.`, { max: rows.maxPerOrg })
    if (added === 'taken') throw taken(`You already have the topic ${topic.key}. Update it, or choose another key.`)
    return present(added)
  },
})

export const list = listRoute({
  path: '/topics',
  summary: 'List email topics, newest first',
  description: 'Returns the topics that contacts can choose.',
  scope: 'email:manage',
  testKeys: 'shared',
  item: Topic,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/topics/{key}',
  summary: 'Read an email topic',
  description: 'Returns the topic with its default and its visibility.',
  scope: 'email:manage',
  testKeys: 'shared',
  params,
  status: 200,
  reply: Topic,
  problems: ['not_found'],
  handle: async ({ params: { key }, org, db }) => present(await mustFind(rows.find(db, org.id, key), 'topic')),
})

export const update = route({
  method: 'PATCH',
  path: '/topics/{key}',
  summary: 'Update an email topic',
  description: 'Omitted fields keep their values. A new default applies to contacts who have not chosen.',
  scope: 'email:manage',
  params,
  body: z
    .strictObject(fields)
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must contain at least one field to change',
    }),
  status: 200,
  reply: Topic,
  problems: ['not_found'],
  handle: async ({ params: { key }, body, org, db }) =>
    present(await mustFind(rows.update(db, org.id, key, body), 'topic')),
})

export const remove = removeRoute({
  path: '/topics/{key}',
  summary: 'Delete an email topic',
  description:
    'Contacts keep their choices: a new topic with the same key uses them. Messages that are waiting are sent to contacts who have not unsubscribed from the topic.',
  scope: 'email:manage',
  params,
  reply: { key: z.string() },
  problems: [inUse],
  what: 'topic',
  remove: async ({ params: { key }, org, db }) => {
    if (await rows.remove(db, org.id, key)) return
    await mustFind(rows.find(db, org.id, key), 'topic')
    throw inUse('A campaign that has not ended uses this topic. Select another topic for it, or cancel the campaign.')
  },
})
