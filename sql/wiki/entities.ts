import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

const Texts = z.record(z.string(), z.string())

export const table = defineTable(
  'wiki',
  'entities',
  z.object({
    id: Id,
    org_id: Id,
    type: z.string(),
    labels: Texts,
    descriptions: Texts,
    aliases: z.record(z.string(), z.array(z.string())),
    external_ids: Texts,
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Entity = z.infer<typeof table.Row>

const columns = table.columns()

/** An entity without its descriptions and aliases, which can have 400,000 characters. */
export const EntitySummary = table.Row.omit({ descriptions: true, aliases: true })
export type EntitySummary = z.infer<typeof EntitySummary>

export async function insert(tx: Db, entity: Omit<Entity, 'created_at' | 'updated_at'>): Promise<Entity> {
  return await tx.one(sql.type(table.Row)`${table.insert(entity)} returning ${columns}`)
}

export async function insertMany(
  tx: Db,
  entities: readonly Omit<Entity, 'created_at' | 'updated_at'>[],
): Promise<void> {
  if (entities.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(entities)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Entity | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.entities where id = ${id} and org_id = ${orgId}`)
}

export async function existing(db: Db, orgId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await db.anyFirst(sql.type(table.Row.pick({ id: true }))`
    select id from wiki.entities where org_id = ${orgId} and id = any(${sql.array([...ids], 'uuid')})`)
  return new Set(found)
}

export async function listOf(db: Db, orgId: string, ids: readonly string[]): Promise<readonly Entity[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from wiki.entities
    where org_id = ${orgId} and id = any(${sql.array([...ids], 'uuid')}) order by id`)
}

/** Returns all names of entities and locks them until the transaction ends. Unknown entities have no names. */
export async function lockNames(
  tx: Db,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await tx.any(sql.type(table.Row.pick({ id: true, labels: true, aliases: true }))`
    select id, labels, aliases from wiki.entities
    where id = any(${sql.array([...ids], 'uuid')}) and org_id = ${orgId} order by id for share`)
  return new Map(found.map(({ id, ...names }) => [id, allNames(names)]))
}

export async function namesOf(db: Db, id: string): Promise<string[]> {
  const found = await db.maybeOne(sql.type(table.Row.pick({ labels: true, aliases: true }))`
    select labels, aliases from wiki.entities where id = ${id}`)
  return found ? allNames(found) : []
}

export const allNames = ({ labels, aliases }: Pick<Entity, 'labels' | 'aliases'>): string[] => [
  ...Object.values(labels),
  ...Object.values(aliases).flat(),
]

/** Locks an entity. Returns the claims that have the entity as their value, or `null` if the entity does not exist. */
export async function lock(tx: Db, orgId: string, id: string): Promise<readonly string[] | null> {
  const found = await tx.exists(sql.type(z.object({ id: Id }))`
    select id from wiki.entities where id = ${id} and org_id = ${orgId} for update`)
  if (!found) return null
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select id from wiki.claims where value ->> 'type' = 'entity' and value ->> 'content' = ${id} and org_id = ${orgId}`)
}

export const filters = { type: table.equals('type') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly EntitySummary[]> {
  return await db.any(sql.type(EntitySummary)`
    select ${getColumns(EntitySummary)} from wiki.entities where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function update(
  db: Db,
  orgId: string,
  id: string,
  given: { [Field in 'type' | 'labels' | 'descriptions' | 'aliases' | 'external_ids']?: Entity[Field] | undefined },
): Promise<Entity | null> {
  const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
  return await db.maybeOne(sql.type(table.Row)`
    update wiki.entities
    set type = coalesce(${given.type ?? null}, type), labels = coalesce(${json(given.labels)}::jsonb, labels),
      descriptions = coalesce(${json(given.descriptions)}::jsonb, descriptions),
      aliases = coalesce(${json(given.aliases)}::jsonb, aliases),
      external_ids = coalesce(${json(given.external_ids)}::jsonb, external_ids), updated_at = now()
    where id = ${id} and org_id = ${orgId} returning ${columns}`)
}
