import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { Retries, ratePeriods } from '../work/jobs.ts'

/** Purpose of the encryption of a source's secrets (lib/seal.ts). The associated data is the source's ID. */
export const sealPurpose = 'intake sources'

export const providers = ['stripe', 'github', 'shopify', 'slack', 'hmac', 'standard'] as const

export const Provider = z.enum(providers)

export type Provider = z.infer<typeof Provider>

export const Hmac = z.object({
  header: z.string(),
  algorithm: z.enum(['sha256', 'sha1', 'sha512']),
  encoding: z.enum(['hex', 'base64']),
  prefix: z.string(),
  signed: z.enum(['body', 'timestamp.body']),
  timestamp_header: z.string().nullable(),
  tolerance: z.number(),
  event_id_header: z.string().nullable(),
  event_id_path: z.string().nullable(),
  event_type_header: z.string().nullable(),
  event_type_path: z.string().nullable(),
})

export type Hmac = z.infer<typeof Hmac>

/** How requests are forwarded: a job without its headers. */
export const Forward = z.object({
  url: z.string(),
  retries: Retries.optional(),
  timeoutMs: z.number().optional(),
  concurrency: z.object({ key: z.string(), limit: z.number() }).optional(),
  rate: z.object({ key: z.string(), limit: z.number(), per: z.enum(ratePeriods) }).optional(),
  group: z.string().optional(),
})

export type Forward = z.infer<typeof Forward>

export const Response = z.object({ status: z.number(), body: z.string(), content_type: z.string() })

export const table = defineTable(
  'intake',
  'sources',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    provider: Provider,
    hmac: Hmac.nullable(),
    secrets: z.string(),
    previous_until: z.date().nullable(),
    token: z.string(),
    token_hash: z.string(),
    previous_token_hash: z.string().nullable(),
    previous_token_until: z.date().nullable(),
    forward: Forward.nullable(),
    forward_headers: z.string().nullable(),
    event_types: z.array(z.string()),
    filter: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
    dedupe: z.boolean(),
    response: Response.nullable(),
    retention_days: z.number().nullable(),
    status: z.enum(['active', 'paused', 'resuming']),
    rejected: z.number(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Source = z.infer<typeof table.Row>

const columns = table.columns()

export type NewSource = Omit<
  Source,
  | 'previous_until'
  | 'previous_token_hash'
  | 'previous_token_until'
  | 'status'
  | 'rejected'
  | 'created_at'
  | 'updated_at'
>

/** Maximum number of sources of one organisation. */
export const maxSources = 100

/** Call it after `lockOrgLimit`. Returns null if the organisation has reached the maximum. */
export async function insert(tx: Db, source: NewSource): Promise<Source | null> {
  const count = await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from intake.sources where org_id = ${source.org_id}`)
  if (count >= maxSources) return null
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ ...source, event_types: sql.array(source.event_types, 'text') })} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Source | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from intake.sources where id = ${id} and org_id = ${orgId}`)
}

/** Locks a source against changes and received requests until the end of the transaction. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Source | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from intake.sources where id = ${id} and org_id = ${orgId} for update`)
}

/**
 * Returns the source of a URL, of any organisation that is not closed. The previous URL of a source also works for some
 * time.
 */
export async function findByToken(db: Db, hash: string): Promise<Source | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from intake.sources as s where token_hash = ${hash} and ${isOpen('s')}
    union all
    select ${columns} from intake.sources as s
    where previous_token_hash = ${hash} and previous_token_until > now() and ${isOpen('s')}
    limit 1`)
}

/** Locks sources of any organisation so that they stay the same until the end of the transaction. */
export async function hold(tx: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Source>> {
  const rows = await tx.any(sql.type(table.Row)`
    select ${columns} from intake.sources where id = any(${sql.array([...new Set(ids)], 'uuid')})
    order by id for share`)
  return new Map(rows.map((row) => [row.id, row]))
}

export const filters = { provider: table.equals('provider'), status: table.equals('status') }

export async function list(db: Db, orgId: string, { where, before, limit }: Page<typeof filters>) {
  return await db.any(sql.type(table.Row)`
    select ${columns} from intake.sources where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

const Named = table.Row.pick({ id: true, name: true, provider: true })

/** Returns the names of all sources of an organisation. */
export async function listNames(db: Db, orgId: string): Promise<readonly z.infer<typeof Named>[]> {
  return await db.any(sql.type(Named)`
    select ${getColumns(Named)} from intake.sources where org_id = ${orgId} order by name, id`)
}

type Changeable = Omit<Source, 'id' | 'org_id' | 'provider' | 'created_at' | 'updated_at' | 'rejected'>

export type Changes = { [Column in keyof Changeable]?: Changeable[Column] | undefined }

export async function update(tx: Db, orgId: string, id: string, changes: Changes): Promise<Source | null> {
  const { event_types, ...rest } = changes
  const values = event_types === undefined ? rest : { ...rest, event_types: sql.array(event_types, 'text') }
  return await tx.maybeOne(sql.type(table.Row)`
    update intake.sources set ${table.set({ ...values, updated_at: sql.fragment`now()` })}
    where id = ${id} and org_id = ${orgId} returning ${columns}`)
}

/** Deletes a source and its requests. */
export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from intake.sources where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}

/** Adds recorded requests with an invalid signature to the counts of their sources. */
export async function countRejected(tx: Db, counts: readonly { id: string; count: number }[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    with counted as (
      select s.id, x.count from intake.sources as s join ${sql.unnest(
        counts.map(({ id, count }) => [id, count]),
        ['uuid', 'int4'],
      )} as x (id, count) on s.id = x.id
      order by s.id for no key update of s)
    update intake.sources as s set rejected = rejected + counted.count from counted where s.id = counted.id`)
}
