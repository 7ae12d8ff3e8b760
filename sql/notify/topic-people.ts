import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { Topic } from './topics.ts'
import type { Person } from './users.ts'

/** Members of topics. A person does not need to be in the directory. */
export const table = defineTable(
  'notify',
  'topic_people',
  z.object({ id: Id, topic_id: Id, org_id: Id, user_id: Id, subject: z.string(), created_at: z.date() }),
)

export const Member = table.Row

export type Member = z.infer<typeof Member>

export type NewMember = Pick<Member, 'topic_id' | 'org_id' | 'user_id' | 'subject'>

/** Adds different people to a topic. Returns the number of people who were not in it. */
export async function addMany(tx: Db, members: readonly NewMember[]): Promise<number> {
  if (members.length === 0) return 0
  // In a fixed order, so that requests with the same people cannot deadlock.
  const sorted = [...members].sort((a, b) => (a.user_id < b.user_id ? -1 : 1))
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    ${table.insertMany(sorted.map((member) => ({ id: newId(), ...member })))} on conflict do nothing`)
  return rowCount
}

/** Removes people from a topic. Returns the number of people who were in it. */
export async function removeMany(tx: Db, topicId: string, userIds: readonly string[]): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from notify.topic_people where topic_id = ${topicId} and user_id = any(${sql.array([...userIds], 'uuid')})`)
  return rowCount
}

/** Removes a person from all topics. */
export async function removePerson(tx: Db, { org_id, user_id }: Person): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from notify.topic_people where org_id = ${org_id} and user_id = ${user_id}`)
}

export async function list(db: Db, topicId: string, { before, limit }: Part): Promise<readonly Member[]> {
  return await db.any(sql.type(Member)`
    select ${table.columns()} from notify.topic_people where topic_id = ${topicId} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

const Membership = Topic.extend({ member_id: Id, added_at: z.date() })

export type Membership = z.infer<typeof Membership>

/** Lists the topics of a person, the most recently joined first. */
export async function listTopics(
  db: Db,
  { org_id, user_id }: Person,
  { before, limit }: Part,
): Promise<readonly Membership[]> {
  return await db.any(sql.type(Membership)`
    select ${getColumns(Topic, 't')}, m.id as member_id, m.created_at as added_at
    from notify.topic_people as m join notify.topics as t on t.id = m.topic_id
    where m.org_id = ${org_id} and m.user_id = ${user_id} and ${isOlder(before, ['m', 'id'])}
    order by m.id desc limit ${limit}`)
}
