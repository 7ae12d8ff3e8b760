import { z } from 'zod'
import * as rows from '#sql/notify/topics.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { PersonName, TopicKey } from './fields.ts'

/** Maximum number of topics of an organisation. */
const most = 1_000

const tooMany = problem(409, 'too_many_topics', `An organisation can have up to ${most} topics.`)

export const Topic = z
  .object({
    key: z.string(),
    name: z.string(),
    people: z.int().describe('Number of people in the topic'),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'notify.Topic' })

const present = ({ id: _, org_id: __, ...shown }: rows.Topic): z.input<typeof Topic> => shown

export const params = z.object({ key: TopicKey })

const ofOne = { params, status: 200, problems: ['not_found'] } as const

export const put = route({
  method: 'PUT',
  path: '/topics/{key}',
  summary: 'Create or rename a topic',
  description: 'A topic is a group of people whom a broadcast can notify. Its people are kept.',
  scope: 'notify:write',
  params,
  body: z.strictObject({ name: PersonName.describe('Name of the topic in the dashboard') }),
  status: 200,
  reply: Topic,
  problems: [tooMany],
  example: { body: { name: 'Release notes' } },
  async handle({ params: { key }, body, org, db }) {
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'notify.topics')
      const known = await rows.find(tx, org.id, key)
      if (!known && (await rows.count(tx, org.id)) >= most) throw tooMany(tooMany.when)
      await rows.put(tx, { ...body, key, org_id: org.id })
      return present(await mustFind(rows.find(tx, org.id, key), 'topic'))
    })
  },
})

export const list = listRoute({
  path: '/topics',
  summary: 'List topics, newest first',
  description: 'Returns the topics of the organisation with the number of their people.',
  scope: 'notify:read',
  item: Topic,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  ...ofOne,
  method: 'GET',
  path: '/topics/{key}',
  summary: 'Read a topic',
  description: 'Returns the topic with the number of its people.',
  scope: 'notify:read',
  reply: Topic,
  async handle({ params: { key }, org, db }) {
    return present(await mustFind(rows.find(db, org.id, key), 'topic'))
  },
})

export const remove = removeRoute({
  path: '/topics/{key}',
  summary: 'Delete a topic',
  description: 'People stay in the directory. A broadcast to the topic that is running notifies nobody else.',
  scope: 'notify:write',
  params,
  reply: { key: z.string() },
  what: 'topic',
  remove: ({ params: { key }, org, db }) => rows.remove(db, org.id, key),
})
