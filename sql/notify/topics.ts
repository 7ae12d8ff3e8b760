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
    /** Counted by a trigger. */
    people: z.number(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Topic = table.Row

export type Topic = z.infer<typeof Topic>

export async function put(tx: Db, topic: Pick<Topic, 'org_id' | 'key' | 'name'>): Promise<Topic> {
  return await tx.one(sql.type(Topic)`
    ${table.insertMany([{ id: newId(), ...topic }])}
    on conflict (org_id, key) do update set name = excluded.name, updated_at = now() returning ${table.columns()}`)
}

export async function find(db: Db, orgId: string, key: string): Promise<Topic | null> {
  return await db.maybeOne(sql.type(Topic)`
    select ${table.columns()} from notify.topics where org_id = ${orgId} and key = ${key}`)
}

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

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Topic[]> {
  return await db.any(sql.type(Topic)`
    select ${table.columns()} from notify.topics where org_id = ${orgId} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function remove(tx: Db, orgId: string, key: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from notify.topics where org_id = ${orgId} and key = ${key}`)
  return rowCount > 0
}
