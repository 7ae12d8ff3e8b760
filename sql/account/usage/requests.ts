import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

const Told = z.object({ code: z.string(), fields: z.array(z.string()) })

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
    await tx.query(sql.typeAlias('void')`${table.insertMany(rows)} on conflict (id) do nothing`)
  }, 0)
}

export interface Filter {
  key?: string | undefined
  operation?: string | undefined
  status?: number | undefined
  /** First digit of the status. */
  class?: number | undefined
  code?: string | undefined
  client_id?: string | undefined
  testOnly?: boolean | undefined
  since?: Date | undefined
  until?: Date | undefined
}

const ofTestKeys = (orgId: string) =>
  sql.fragment`key_id in (select id from account.keys where org_id = ${orgId} and mode = 'test')`

export async function list(
  db: Db,
  orgId: string,
  { since, until, before, limit, ...filter }: Filter & { before?: string | undefined; limit: number },
): Promise<readonly Request[]> {
  const is = (column: string, value: string | number | undefined) =>
    value === undefined ? sql.fragment`true` : sql.fragment`${sql.identifier([column])} = ${value}`
  const from = since ? sql.fragment`id >= ${firstIdAt(since)}` : sql.fragment`true`
  const to = until ? sql.fragment`id < ${firstIdAt(until)}` : sql.fragment`true`
  const classed = filter.class === undefined ? sql.fragment`true` : sql.fragment`status / 100 = ${filter.class}`
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.requests
    where org_id = ${orgId} and ${from} and ${to} and ${classed}
      and ${before === undefined ? sql.fragment`true` : sql.fragment`id < ${before}`}
      and ${is('key_id', filter.key)} and ${is('operation', filter.operation)} and ${is('status', filter.status)}
      and ${filter.testOnly ? ofTestKeys(orgId) : sql.fragment`true`}
      and ${is('code', filter.code)} and ${is('client_id', filter.client_id)}
    order by id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string, { testOnly = false } = {}): Promise<Request | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.requests where org_id = ${orgId} and id = ${id}
      and ${testOnly ? ofTestKeys(orgId) : sql.fragment`true`}`)
}
