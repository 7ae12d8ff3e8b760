import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { isOlder, type Page } from '../../filters.ts'
import { defineTable, getColumns } from '../../table.ts'
import { isOpen } from '../closures.ts'

export const kinds = ['s3', 'otlp', 'syslog', 'splunk'] as const
export const sources = ['audit', 'events', 'requests'] as const

export type Kind = (typeof kinds)[number]
export type Source = (typeof sources)[number]

export const sealPurpose = 'log stream secrets'

export const getSecretContext = (streamId: string) => `log stream ${streamId}`

/** Servers of organisations that receive records of the audit log, the events and the request log. */
export const table = defineTable(
  'account',
  'log_streams',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    kind: z.enum(kinds),
    settings: z.record(z.string(), z.unknown()),
    secrets: z.string(),
    sources: z.array(z.enum(sources)),
    event_types: z.array(z.string()),
    request_classes: z.array(z.number()),
    batch_seconds: z.number(),
    created_by_kind: z.enum(['key', 'user', 'operator', 'system']),
    created_by: z.string().nullable(),
    created_by_name: z.string(),
    created_at: z.date(),
    updated_at: z.date(),
    paused_at: z.date().nullable(),
    wake_at: z.date(),
    leased_by: Id.nullable(),
    leased_until: z.date().nullable(),
    failures: z.number(),
    failing_since: z.date().nullable(),
    failing_told_at: z.date().nullable(),
    last_error: z.string().nullable(),
    last_error_at: z.date().nullable(),
    last_sent_at: z.date().nullable(),
  }),
)

export const Stream = table.Row.omit({
  ...{ secrets: true, wake_at: true, leased_by: true, leased_until: true, failures: true, failing_told_at: true },
})

export type Stream = z.infer<typeof Stream>

const columns = getColumns(Stream)

export type NewStream = Pick<
  z.infer<typeof table.Row>,
  | 'id'
  | 'org_id'
  | 'name'
  | 'kind'
  | 'settings'
  | 'secrets'
  | 'sources'
  | 'event_types'
  | 'request_classes'
  | 'batch_seconds'
  | 'created_by_kind'
  | 'created_by'
  | 'created_by_name'
>

const arrays = (row: Partial<NewStream>) => ({
  ...(row.sources && { sources: sql.array(row.sources, 'text') }),
  ...(row.event_types && { event_types: sql.array(row.event_types, 'text') }),
  ...(row.request_classes && { request_classes: sql.array(row.request_classes, 'int2') }),
})

export async function insert(tx: Db, row: NewStream): Promise<Stream> {
  return await tx.one(sql.type(Stream)`${table.insert({ ...row, ...arrays(row) })} returning ${columns}`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) as count from account.log_streams where org_id = ${orgId}`)
}

export const filters = {
  kind: table.equals('kind'),
  source: (source: Source) => sql.fragment`${source} = any(sources)`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Stream[]> {
  return await db.any(sql.type(Stream)`
    select ${columns} from account.log_streams
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Stream | null> {
  return await db.maybeOne(sql.type(Stream)`
    select ${columns} from account.log_streams where org_id = ${orgId} and id = ${id}`)
}

/** Returns a stream, locked until the transaction ends. Null if it does not exist. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Stream | null> {
  return await tx.maybeOne(sql.type(Stream)`
    select ${columns} from account.log_streams where org_id = ${orgId} and id = ${id} for no key update`)
}

export type Change = Partial<
  Pick<NewStream, 'name' | 'settings' | 'secrets' | 'sources' | 'event_types' | 'request_classes' | 'batch_seconds'>
>

/** Updates a stream. The next record is sent with the new settings, without a wait after earlier failures. */
export async function change(tx: Db, id: string, values: Change): Promise<Stream> {
  return await tx.one(sql.type(Stream)`
    update account.log_streams set ${table.set({ ...values, ...arrays(values), updated_at: new Date(), wake_at: new Date() })}
    where id = ${id} returning ${columns}`)
}

export async function setPaused(tx: Db, id: string, paused: boolean): Promise<Stream> {
  return await tx.one(sql.type(Stream)`
    update account.log_streams set paused_at = case when ${paused} then coalesce(paused_at, now()) end, wake_at = now()
    where id = ${id} returning ${columns}`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from account.log_streams where org_id = ${orgId} and id = ${id}`)
  return rowCount === 1
}

const mayRun = sql.fragment`log_streams.paused_at is null and ${isOpen('log_streams')}`

const Woken = table.Row.pick({ id: true, org_id: true })

/** True if a record of the position `p` waits. A record without a number is looked for once per counter, not per stream. */
const isWaiting = sql.fragment`case p.source
  when 'audit' then exists (select from account.audit as a where a.org_id = p.org_id and a.number > p.number)
  else exists (select from counters as c where c.org_id = p.org_id and c.source = p.source
    and (c.number > p.number or c.has_fresh)) end`

/** Returns streams with waiting records whose time has come, and postpones them by `ms` milliseconds. */
export async function takeDue(
  tx: Db,
  { limit, ms }: { limit: number; ms: number },
): Promise<readonly z.infer<typeof Woken>[]> {
  return await tx.any(sql.type(Woken)`
    with counters as materialized (
      select c.org_id, c.source, c.number, exists (
        select from account.log_stream_queue as q
        where q.org_id = c.org_id and q.source = c.source and q.number is null) as has_fresh
      from account.log_stream_counters as c)
    update account.log_streams set wake_at = now() + ${ms} * interval '1 ms' where id = any(array(
      select log_streams.id from account.log_streams where wake_at <= now() and ${mayRun}
        and exists (select from account.log_stream_positions as p where p.stream_id = log_streams.id and ${isWaiting})
      order by wake_at limit ${limit} for no key update of log_streams skip locked))
    returning id, org_id`)
}

const Target = table.Row.omit({ leased_by: true, leased_until: true, wake_at: true })

export type Target = z.infer<typeof Target>

const targetColumns = getColumns(Target)

/**
 * Leases a stream for `leaseMs` milliseconds. Returns null if another job has the lease, or the stream is paused, or its
 * organisation is closed. After a crash, the same job gets the lease again.
 */
export async function lease(db: Db, id: string, wakeId: string, leaseMs: number): Promise<Target | null> {
  return await db.maybeOne(sql.type(Target)`
    update account.log_streams set leased_by = ${wakeId}, leased_until = now() + ${leaseMs} * interval '1 ms'
    where id = ${id} and ${mayRun} and (leased_by = ${wakeId} or leased_by is null or leased_until < now())
    returning ${targetColumns}`)
}

/** Returns a stream for a test. A paused stream can be tested. */
export async function findTarget(db: Db, id: string): Promise<Target | null> {
  return await db.maybeOne(sql.type(Target)`
    select ${targetColumns} from account.log_streams where id = ${id} and ${isOpen('log_streams')}`)
}

/** Ends a lease. The stream is looked at again after `ms` milliseconds. */
export async function release(db: Db, id: string, wakeId: string, ms: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.log_streams
    set leased_by = null, leased_until = null, wake_at = now() + ${Math.round(ms)} * interval '1 ms'
    where id = ${id} and leased_by = ${wakeId}`)
}
