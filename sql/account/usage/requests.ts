import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import { everything, isOlder, type Page } from '../../filters.ts'
import { defineTable } from '../../table.ts'
import { queueStored } from '../streams/queue.ts'

/** Error of a request. Earlier rows have no texts. Each issue belongs to the field with the same index. */
const Told = z.object({
  code: z.string(),
  fields: z.array(z.string()),
  message: z.string().optional(),
  issues: z.array(z.string()).optional(),
})

/** Requests with keys: all errors, and a limited number of other requests per second. Partitioned by day. */
export const table = defineTable(
  'account',
  'requests',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id,
    secret_id: Id.nullable(),
    client_id: z.string().nullable(),
    operation: z.string(),
    status: z.number(),
    code: z.string().nullable(),
    ms: z.number(),
    bytes_in: z.number().nullable(),
    bytes_out: z.number().nullable(),
    network: z.string(),
    sdk: z.string().nullable(),
    jobs: z.array(z.string()),
    resource_id: Id.nullable(),
    error: Told.nullable(),
    request_head: z.string().nullable(),
    response_head: z.string().nullable(),
  }),
)

export type Request = z.infer<typeof table.Row>

/** Inserts rows in one statement, without waiting for the disk. Existing rows stay. */
export async function write(db: DatabasePool, rows: readonly Request[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`set local synchronous_commit = off`)
    // One JSON string costs the ingress less than one array per column.
    await tx.query(sql.typeAlias('void')`
      with stored as (${table.insertMany(rows)} on conflict (id) do nothing returning id, org_id)
      ${queueStored('stored', 'requests')}`)
  }, 0)
}

export const filters = {
  key: table.equals('key_id'),
  operation: table.equals('operation'),
  status: table.equals('status'),
  /** First digit of the status. The index has the rows from status 300 on, because almost all others are of class 2. */
  class: (digit: number) =>
    digit < 3 ? sql.fragment`status / 100 = ${digit}` : sql.fragment`status / 100 = ${digit} and status >= 300`,
  code: table.equals('code'),
  client_id: table.equals('client_id'),
  since: (at: string) => sql.fragment`id >= ${firstIdAt(new Date(at))}`,
  until: (at: string) => sql.fragment`id < ${firstIdAt(new Date(at))}`,
}

const ofTestKeys = (orgId: string) =>
  sql.fragment`key_id in (select id from account.keys where org_id = ${orgId} and mode = 'test')`

export async function list(
  db: Db,
  orgId: string,
  { where, testOnly = false, before, limit }: Page<typeof filters> & { testOnly?: boolean },
): Promise<readonly Request[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.requests
    where org_id = ${orgId} and ${where} and ${testOnly ? ofTestKeys(orgId) : everything} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Returns up to `limit` requests after an ID, oldest first, except `except`. */
export async function listAfter(
  db: Db,
  orgId: string,
  { after, except, testOnly, limit }: { after: string; except: readonly string[]; testOnly: boolean; limit: number },
): Promise<readonly Request[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.requests
    where org_id = ${orgId} and id > ${after} and ${testOnly ? ofTestKeys(orgId) : everything}
      and not id = any(${sql.array(except, 'uuid')})
    order by id limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string, { testOnly = false } = {}): Promise<Request | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.requests where org_id = ${orgId} and id = ${id}
      and ${testOnly ? ofTestKeys(orgId) : sql.fragment`true`}`)
}

/** Number of an organisation's newest requests among which a client's request ID is found. No index has these IDs. */
const searched = 10_000

/** Returns up to `limit` of the newest requests of a client library, from the newest 10,000 requests. */
export async function listOfClient(db: Db, orgId: string, sdk: string, limit: number): Promise<readonly Request[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from (
      select * from account.requests where org_id = ${orgId} order by id desc limit ${searched}) as newest
    where sdk = ${sdk} order by id desc limit ${limit}`)
}

/** Returns up to five of the newest requests whose client sent this `X-Request-Id`, newest first. */
export async function findByClientId(db: Db, orgId: string, clientId: string): Promise<readonly Request[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from (
      select * from account.requests where org_id = ${orgId} order by id desc limit ${searched}) as newest
    where client_id = ${clientId} order by id desc limit 5`)
}
