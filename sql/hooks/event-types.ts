import type { SerializableValue } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

const Json = z.record(z.string(), z.unknown()).nullable()

export const table = defineTable(
  'hooks',
  'event_types',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    description: z.string().nullable(),
    feature_group: z.string().nullable(),
    schema: Json,
    example: Json,
    archived_at: z.date().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type EventType = z.infer<typeof table.Row>

const columns = table.columns()

export type Change = Pick<EventType, 'description' | 'feature_group' | 'schema' | 'example' | 'archived_at'>

type NewEventType = Pick<EventType, 'id' | 'org_id' | 'name'> & Change

/** Keeps the order of names, which `jsonb` does not. */
const asText = ({ schema, example }: Pick<EventType, 'schema' | 'example'>) => ({
  schema: schema && sql.json(schema as SerializableValue),
  example: example && sql.json(example as SerializableValue),
})

/** Returns null if the organisation already has an event type with this name. */
export async function insert(tx: Db, row: NewEventType): Promise<EventType | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert({ ...row, ...asText(row) })} on conflict (org_id, name) do nothing returning ${columns}`)
}

export async function hasMany(tx: Db, orgId: string, max: number): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from hooks.event_types where org_id = ${orgId} offset ${max - 1} limit 1`)
}

/** Returns an event type by its name. Null if it does not exist. */
export async function find(db: Db, orgId: string, name: string): Promise<EventType | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from hooks.event_types where org_id = ${orgId} and name = ${name}`)
}

export async function lock(tx: Db, orgId: string, name: string): Promise<EventType | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from hooks.event_types where org_id = ${orgId} and name = ${name} for update`)
}

export async function update(tx: Db, id: string, change: Change): Promise<EventType> {
  return await tx.one(sql.type(table.Row)`
    update hooks.event_types set ${table.set({ ...change, ...asText(change) })}, updated_at = now() where id = ${id} returning ${columns}`)
}

export async function remove(tx: Db, orgId: string, name: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    delete from hooks.event_types where org_id = ${orgId} and name = ${name} returning id`)
}

export const filters = {
  feature_group: table.equals('feature_group'),
  archived: (is: boolean) => (is ? sql.fragment`archived_at is not null` : sql.fragment`archived_at is null`),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly EventType[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from hooks.event_types where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
