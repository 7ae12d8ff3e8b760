import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Part } from '../filters.ts'
import { defineTable } from '../table.ts'

/** Groups of people whom a broadcast can notify. */
export const table = defineTable(
  'notify',
  'topics',
  z.object({
    id: Id,
    org_id: Id,
    key: z.string(),
    name: z.string(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Topic = table.Row

export type Topic = z.infer<typeof Topic>

const Shown = Topic.extend({ people: z.number() })

export type ShownTopic = z.infer<typeof Shown>

const shown = sql.fragment`
  select ${table.columns('t')}, (select count(*) from notify.topic_people where topic_id = t.id) as people
  from notify.topics as t`

export async function put(tx: Db, topic: Pick<Topic, 'org_id' | 'key' | 'name'>): Promise<Topic> {
  return await tx.one(sql.type(Topic)`
    ${table.insertMany([{ id: newId(), ...topic }])}
    on conflict (org_id, key) do update set name = excluded.name, updated_at = now() returning ${table.columns()}`)
}

export async function find(db: Db, orgId: string, key: string): Promise<ShownTopic | null> {
  return await db.maybeOne(sql.type(Shown)`${shown} where t.org_id = ${orgId} and t.key = ${key}`)
}

/** Returns the ID of a topic, without counting its people. */
export async function findId(db: Db, orgId: string, key: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(Topic.pick({ id: true }))`
    select id from notify.topics where org_id = ${orgId} and key = ${key}`)
}

/** Returns a topic that cannot be deleted until the transaction ends. */
export async function lock(tx: Db, orgId: string, key: string): Promise<Topic | null> {
  return await tx.maybeOne(sql.type(Topic)`
    select ${table.columns()} from notify.topics where org_id = ${orgId} and key = ${key} for key share`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`select count(*) from notify.topics where org_id = ${orgId}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly ShownTopic[]> {
  return await db.any(sql.type(Shown)`
    ${shown} where t.org_id = ${orgId} and ${isOlder(before, ['t', 'id'])} order by t.id desc limit ${limit}`)
}

export async function remove(tx: Db, orgId: string, key: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from notify.topics where org_id = ${orgId} and key = ${key}`)
  return rowCount > 0
}
