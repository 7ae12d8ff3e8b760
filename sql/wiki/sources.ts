import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const SourceType = z.enum(['web', 'document', 'dataset'])

export const table = defineTable(
  'wiki',
  'sources',
  z.object({
    id: Id,
    org_id: Id,
    uri: z.string(),
    canonical_url: z.string(),
    type: SourceType,
    title: z.string().nullable(),
    publisher: z.string().nullable(),
    authors: z.array(z.string()),
    published_at: z.date().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Source = z.infer<typeof table.Row>

const columns = table.columns()

export type NewSource = Pick<Source, 'id' | 'org_id' | 'uri' | 'canonical_url'> &
  Partial<Record<'title' | 'publisher' | 'type' | 'published_at', string | undefined>> & {
    authors?: readonly string[] | undefined
  }

/** Registers a source, or updates the source with this canonical URL. */
export async function register(tx: Db, given: NewSource): Promise<Source> {
  const authors = given.authors ? sql.array([...given.authors], 'text') : sql.fragment`null::text[]`
  return await tx.one(sql.type(table.Row)`
    insert into wiki.sources as known (id, org_id, uri, canonical_url, type, title, publisher, authors, published_at)
    values (${given.id}, ${given.org_id}, ${given.uri}, ${given.canonical_url}, coalesce(${given.type ?? null}, 'web'),
      ${given.title ?? null}, ${given.publisher ?? null}, coalesce(${authors}, '{}'), ${given.published_at ?? null})
    on conflict (org_id, canonical_url) do update set
      type = coalesce(${given.type ?? null}, known.type), title = coalesce(excluded.title, known.title),
      publisher = coalesce(excluded.publisher, known.publisher), authors = coalesce(${authors}, known.authors),
      published_at = coalesce(excluded.published_at, known.published_at), updated_at = now()
    returning ${columns}`)
}

const PlacedSource = table.Row.pick({ id: true, canonical_url: true })

/** Registers sources once per canonical URL and returns their IDs by URL. Sorts by URL to prevent deadlocks. */
export async function registerMany(
  tx: Db,
  given: readonly Pick<Source, 'id' | 'org_id' | 'uri' | 'canonical_url' | 'title' | 'publisher'>[],
): Promise<ReadonlyMap<string, string>> {
  if (given.length === 0) return new Map()
  const rows = await tx.any(sql.type(PlacedSource)`
    insert into wiki.sources as known (id, org_id, uri, canonical_url, title, publisher)
    select id, org_id, uri, canonical_url, title, publisher
    from json_populate_recordset(null::wiki.sources, ${JSON.stringify(given)}::json) order by canonical_url collate "C"
    on conflict (org_id, canonical_url) do update set title = coalesce(excluded.title, known.title),
      publisher = coalesce(excluded.publisher, known.publisher), updated_at = now()
    returning ${getColumns(PlacedSource)}`)
  return new Map(rows.map(({ id, canonical_url }) => [canonical_url, id]))
}

export async function find(db: Db, orgId: string, id: string): Promise<Source | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.sources where id = ${id} and org_id = ${orgId}`)
}

/** Finds a source of any organisation, because sources are public. */
export async function findAny(db: Db, id: string): Promise<Source | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from wiki.sources where id = ${id}`)
}

/** Locks a source and its snapshots, so that no new reference can use them until the transaction ends. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Source | null> {
  const found = await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.sources where id = ${id} and org_id = ${orgId} for update`)
  await tx.query(sql.typeAlias('void')`
    select from wiki.snapshots where source_id = ${id} and org_id = ${orgId} order by id for update`)
  return found
}

export async function remove(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from wiki.sources where id = ${id}`)
}

export async function existing(db: Db, orgId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await db.anyFirst(sql.type(table.Row.pick({ id: true }))`
    select id from wiki.sources where org_id = ${orgId} and id = any(${sql.array([...ids], 'uuid')})`)
  return new Set(found)
}

export const filters = {
  uri: ({ canonicalUrl }: { canonicalUrl: string }) => sql.fragment`canonical_url = ${canonicalUrl}`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Source[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from wiki.sources where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
