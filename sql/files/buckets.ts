import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const State = z.enum(['unverified', 'active', 'failing'])

export const Addressing = z.enum(['path', 'virtual'])

export const table = defineTable(
  'files',
  'buckets',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    endpoint: z.string(),
    region: z.string(),
    bucket: z.string(),
    addressing: Addressing,
    access_key_id: z.string(),
    secret_key: z.string(),
    writes_tags: z.boolean(),
    state: State,
    reason: z.string().nullable(),
    created_at: z.date(),
    verified_at: z.date().nullable(),
  }),
)

export type Bucket = z.infer<typeof table.Row>

/** A bucket without its secret. */
export const Facts = table.Row.omit({ secret_key: true })

export type Facts = z.infer<typeof Facts>

export const sealPurpose = 'file buckets'

export type NewBucket = Omit<Bucket, 'state' | 'reason' | 'created_at' | 'verified_at'>

export async function insert(tx: Db, bucket: NewBucket): Promise<Facts> {
  return await tx.one(sql.type(Facts)`${table.insert(bucket)} returning ${getColumns(Facts)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Facts | null> {
  return await db.maybeOne(sql.type(Facts)`
    select ${getColumns(Facts)} from files.buckets where id = ${id} and org_id = ${orgId}`)
}

/** Returns a bucket of any organisation with its sealed secret. */
export async function findAny(db: Db, id: string): Promise<Bucket | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from files.buckets where id = ${id}`)
}

export const filters = { state: table.equals('state') }

export async function list(db: Db, orgId: string, { where, before, limit }: Page<typeof filters>) {
  return await db.any(sql.type(Facts)`
    select ${getColumns(Facts)} from files.buckets
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`select count(*) from files.buckets where org_id = ${orgId}`)
}

export type Changes = {
  [Name in 'name' | 'region' | 'addressing' | 'access_key_id' | 'secret_key' | 'writes_tags' | 'state' | 'reason']?:
    | Bucket[Name]
    | undefined
}

export async function update(tx: Db, orgId: string, id: string, changes: Changes): Promise<Facts | null> {
  return await tx.maybeOne(sql.type(Facts)`
    update files.buckets set ${table.set(changes)} where id = ${id} and org_id = ${orgId}
    returning ${getColumns(Facts)}`)
}

/** A bucket and the sealed secret that a request used. A result says nothing about a secret that has replaced it. */
type Used = Pick<Bucket, 'id' | 'secret_key'>

export async function markActive(db: Db, { id, secret_key }: Used): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update files.buckets set state = 'active', reason = null, verified_at = now()
    where id = ${id} and secret_key = ${secret_key} and (state <> 'active' or reason is not null)`)
}

export async function markFailing(db: Db, { id, secret_key }: Used, reason: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update files.buckets set state = 'failing', reason = ${reason} where id = ${id} and secret_key = ${secret_key}`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from files.buckets where id = ${id} and org_id = ${orgId}`)
  return rowCount > 0
}
