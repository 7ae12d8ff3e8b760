import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { UserId } from '#lib/user-id.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/notify/topic-people.ts'
import * as topics from '#sql/notify/topics.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { getPersonKey } from './mark-items.ts'
import { params } from './topics.ts'

/** Maximum number of people in one request. */
const mostAtOnce = 1_000

/** Maximum number of people in a topic. */
const most = 1_000_000

const People = z.strictObject({
  user_ids: z.array(UserId).min(1).max(mostAtOnce).describe(`Your own IDs of up to ${mostAtOnce} people`),
})

const byId = (userIds: readonly string[]) => new Map(userIds.map((subject) => [getPersonId(subject), subject]))

export const add = route({
  method: 'PUT',
  path: '/topics/{key}/people',
  summary: 'Add people to a topic',
  description: `Adds up to ${mostAtOnce} people. People who are in the topic stay in it. They do not need to be in the directory.`,
  scope: 'notify:write',
  params,
  body: People,
  status: 200,
  reply: z.object({
    key: z.string(),
    added: z.int().describe('Number of people who were not in the topic'),
    people: z.int().describe('Number of people in the topic'),
  }),
  problems: ['not_found', 'conflict'],
  example: { body: { user_ids: ['customer-17', 'customer-18'] } },
  async handle({ params: { key }, body, org, db }) {
    return await db.transaction(async (tx) => {
      const topic = await mustFind(topics.lock(tx, org.id, key), 'topic')
      const { people } = await mustFind(topics.find(tx, org.id, key), 'topic')
      if (people + body.user_ids.length > most) throw conflict(`A topic can have up to ${most} people.`)
      const added = await rows.addMany(
        tx,
        [...byId(body.user_ids)].map(([user_id, subject]) => ({
          topic_id: topic.id,
          org_id: org.id,
          user_id,
          subject,
        })),
      )
      return { key, added, people: await countOf(tx, org.id, key) }
    })
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/topics/{key}/people',
  summary: 'Remove people from a topic',
  description: `Removes up to ${mostAtOnce} people. A broadcast that is running does not notify people who were removed before their page.`,
  scope: 'notify:write',
  params,
  body: People,
  status: 200,
  reply: z.object({
    key: z.string(),
    removed: z.int().describe('Number of people who were in the topic'),
    people: z.int().describe('Number of people in the topic'),
  }),
  problems: ['not_found'],
  example: { body: { user_ids: ['customer-17'] } },
  async handle({ params: { key }, body, org, db }) {
    return await db.transaction(async (tx) => {
      const topic = await mustFind(topics.lock(tx, org.id, key), 'topic')
      const removed = await rows.removeMany(tx, topic.id, [...byId(body.user_ids).keys()])
      return { key, removed, people: await countOf(tx, org.id, key) }
    })
  },
})

const countOf = async (tx: Db, orgId: string, key: string): Promise<number> =>
  (await mustFind(topics.find(tx, orgId, key), 'topic')).people

export const list = listRoute({
  path: '/topics/{key}/people',
  summary: 'List the people of a topic',
  description: 'Returns the people of the topic, the most recently added first.',
  scope: 'notify:read',
  params,
  problems: ['not_found'],
  item: z.object({ user_id: z.string(), added_at: Instant }).meta({ id: 'notify.TopicPerson' }),
  async rows({ params: { key }, org, db }, page) {
    return await rows.list(db, await mustFind(topics.findId(db, org.id, key), 'topic'), page)
  },
  present: ({ subject, created_at }: rows.Member) => ({ user_id: subject, added_at: created_at }),
})

export const listTopics = listRoute({
  path: '/people/{user_id}/topics',
  summary: 'List the topics of a person',
  description: 'Returns the topics that contain the person, the most recently joined first.',
  scope: 'notify:read',
  params: z.object({ user_id: UserId }),
  item: z.object({ key: z.string(), name: z.string(), added_at: Instant }).meta({ id: 'notify.PersonTopic' }),
  async rows({ params: { user_id }, org, db }, page) {
    const found = await rows.listTopics(db, getPersonKey(org.id, user_id), page)
    return found.map(({ member_id, ...topic }) => ({ ...topic, id: member_id }))
  },
  present: ({ key, name, added_at }: { id: string; key: string; name: string; added_at: Date }) => ({
    ...{ key, name, added_at },
  }),
})
