import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'
import { countWithin } from './contacts/count-within.ts'
import { TopicState } from './contacts.ts'

/** Subjects of email that contacts can choose. The choices are in `email.contacts.topics`, by the key of the topic. */
export const table = defineTable(
  'email',
  'topics',
  z.object({
    id: Id,
    org_id: Id,
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    default_state: TopicState,
    visibility: z.enum(['public', 'private']),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Topic = z.infer<typeof table.Row>

export type TopicFields = Pick<Topic, 'name' | 'description' | 'default_state' | 'visibility'>

/** Maximum number of topics of an organisation. A preference page shows all of them. */
export const maxPerOrg = 100

/** Returns `full` if the organisation has the maximum number of topics, and `taken` if it has this key. */
export async function insert(
  tx: Db,
  topic: TopicFields & Pick<Topic, 'id' | 'org_id' | 'key'>,
): Promise<Topic | 'full' | 'taken'> {
  await lockOrgLimit(tx, topic.org_id, 'email.topics')
  const count = await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from email.topics where org_id = ${topic.org_id}`)
  if (count >= maxPerOrg) return 'full'
  const added = await tx.maybeOne(sql.type(table.Row)`
    ${table.insert(topic)} on conflict (org_id, key) do nothing returning ${table.columns()}`)
  return added ?? 'taken'
}

export async function find(db: Db, orgId: string, key: string): Promise<Topic | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.topics where org_id = ${orgId} and key = ${key}`)
}

/** Returns the topics with these keys of these organisations. */
export async function findMany(db: Db, wanted: readonly { org_id: string; key: string }[]): Promise<readonly Topic[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(table.Row)`
    select distinct on (t.id) ${table.columns('t')} from email.topics as t
    join ${sql.unnest(
      wanted.map(({ org_id, key }) => [org_id, key]),
      ['uuid', 'text'],
    )} as w (org_id, key) on t.org_id = w.org_id and t.key = w.key`)
}

/** Returns all topics, oldest first. */
export async function listAll(db: Db, orgId: string): Promise<readonly Topic[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.topics where org_id = ${orgId} order by id limit ${maxPerOrg}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Topic[]> {
  const older = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.topics where org_id = ${orgId} ${older} order by id desc limit ${limit}`)
}

/** Undefined fields do not change. Returns null if the topic does not exist. */
export async function update(
  db: Db,
  orgId: string,
  key: string,
  changes: { [Name in keyof TopicFields]?: TopicFields[Name] | undefined },
): Promise<Topic | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update email.topics set ${table.set({ ...changes, updated_at: sql.fragment`now()` })}
    where org_id = ${orgId} and key = ${key} returning ${table.columns()}`)
}

/** Returns false if the topic does not exist, or if a campaign that has not ended uses it. */
export async function remove(db: Db, orgId: string, key: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from email.topics where org_id = ${orgId} and key = ${key} and not exists (
      select from email.campaigns where org_id = ${orgId} and topic = ${key}
        and status in ('draft', 'scheduled', 'sending', 'paused'))`)
  return rowCount > 0
}

const Counted = z.object({ key: z.string(), state: TopicState, count: z.number() })

export type TopicCounts = ReadonlyMap<string, Record<TopicState, number>>

/** Counts the choices of confirmed contacts by topic. Returns null if counting takes too long. */
export async function countChoices(db: DatabasePool, orgId: string): Promise<TopicCounts | null> {
  const found = await countWithin(db, (tx) =>
    tx.any(sql.type(Counted)`
      select t.key, t.value as state, count(*) from email.contacts as c, jsonb_each_text(c.topics) as t
      where c.org_id = ${orgId} and c.status = 'confirmed' and c.topics <> '{}' group by t.key, t.value`),
  )
  if (!found) return null
  const counts = new Map<string, Record<TopicState, number>>()
  for (const { key, state, count } of found) {
    const of = counts.get(key) ?? { subscribed: 0, unsubscribed: 0 }
    of[state] = count
    counts.set(key, of)
  }
  return counts
}
