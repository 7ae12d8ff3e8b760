import { z } from 'zod'
import { firstIdAt, getIdTime, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

export const Status = z.enum(['forwarded', 'held', 'stored', 'filtered', 'rejected'])

export type Status = z.infer<typeof Status>

/** Reasons why a signature is invalid. */
export const Reason = z.enum([
  'signature_missing',
  'timestamp_missing',
  'timestamp_outside_tolerance',
  'signature_wrong',
  'secret_missing',
])

export type Reason = z.infer<typeof Reason>

export const JobStatus = z.enum(['pending', 'completed', 'failed', 'cancelled'])

export type JobStatus = z.infer<typeof JobStatus>

export const table = defineTable(
  'intake',
  'requests',
  z.object({
    id: Id,
    org_id: Id,
    source_id: Id,
    verified: z.boolean(),
    reason: Reason.nullable(),
    status: Status,
    event_id: z.string().nullable(),
    event_type: z.string().nullable(),
    job_status: JobStatus.nullable(),
    dedupe_key: z.string().nullable(),
    duplicates: z.number(),
    headers: z.record(z.string(), z.string()),
    content_type: z.string().nullable(),
    size: z.number(),
    body: z.instanceof(Buffer),
    signed_at: z.date().nullable(),
    received_at: z.date(),
  }),
  {
    retention: days('INTAKE_DAYS', 'id', {
      sooner: sql.fragment`(select retention_days from intake.sources where id = old.source_id)`,
      batch: 500,
    }),
  },
)

export type Request = z.infer<typeof table.Row>

/** A request without its body, as in lists. */
export const Facts = table.Row.omit({ body: true, dedupe_key: true })

export type Facts = z.infer<typeof Facts>

const facts = getColumns(Facts)

export type NewRequest = Omit<Request, 'duplicates' | 'received_at' | 'job_status'>

const keyOf = ({ source_id, dedupe_key }: NewRequest): string => `${source_id} ${dedupe_key ?? ''}`

/** Adds requests, except those whose event is known. Returns the IDs of added requests. */
export async function insertMany(tx: Db, requests: readonly NewRequest[]): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set()
  // In a fixed order, so that transactions with the same events wait instead of deadlocking.
  const sorted = [...requests].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const rows = sorted.map((one) => [
    ...[one.id, one.org_id, one.source_id, one.verified, one.reason, one.status],
    ...[one.event_id, one.event_type, one.dedupe_key, JSON.stringify(one.headers), one.content_type, one.size],
    ...[one.body, one.signed_at?.toISOString() ?? null, new Date(getIdTime(one.id)).toISOString()],
  ])
  const ids = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    insert into intake.requests (id, org_id, source_id, verified, reason, status,
      job_status, event_id, event_type, dedupe_key, headers, content_type, size, body, signed_at, received_at)
    select x.id, x.org_id, x.source_id, x.verified, x.reason, x.status,
      case when x.status = 'forwarded' then 'pending' end,
      x.event_id, x.event_type, x.dedupe_key, x.headers::jsonb, x.content_type, x.size, x.body, x.signed_at, x.received_at
    from ${sql.unnest(rows, [
      ...(['uuid', 'uuid', 'uuid', 'bool', 'text', 'text'] as const),
      ...(['text', 'text', 'text', 'text', 'text', 'int4', 'bytea', 'timestamptz', 'timestamptz'] as const),
    ])} as x (id, org_id, source_id, verified, reason, status,
      event_id, event_type, dedupe_key, headers, content_type, size, body, signed_at, received_at)
    on conflict (source_id, dedupe_key) where dedupe_key is not null do nothing
    returning id`)
  return new Set(ids)
}

const Known = table.Row.pick({ id: true, source_id: true, dedupe_key: true })

/** Counts repeated requests of known events. Returns the IDs of the first requests by source and event. */
export async function countDuplicates(
  tx: Db,
  repeated: readonly Pick<NewRequest, 'source_id' | 'dedupe_key'>[],
): Promise<ReadonlyMap<string, string>> {
  if (repeated.length === 0) return new Map()
  const rows = await tx.any(sql.type(Known)`
    with repeated as (
      select source_id, dedupe_key, count(*) as count
      from ${sql.unnest(
        repeated.map((one) => [one.source_id, one.dedupe_key]),
        ['uuid', 'text'],
      )} as x (source_id, dedupe_key) group by 1, 2),
    locked as (
      select r.id, repeated.count from intake.requests as r join repeated
        on r.source_id = repeated.source_id and r.dedupe_key = repeated.dedupe_key
      order by r.id for update of r)
    update intake.requests as r set duplicates = r.duplicates + locked.count from locked where r.id = locked.id
    returning r.id, r.source_id, r.dedupe_key`)
  return new Map(rows.map(({ id, source_id, dedupe_key }) => [`${source_id} ${dedupe_key}`, id]))
}

/** Number of requests with an invalid signature that are kept per source. */
export const rejectedPerSource = 100

/** Deletes the oldest requests with an invalid signature if a source has too many. */
export async function trimRejected(tx: Db, sourceIds: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from intake.requests where id = any(array(
      select old.id from unnest(${sql.array([...new Set(sourceIds)], 'uuid')}) as s (id)
      cross join lateral (
        select r.id from intake.requests as r where r.source_id = s.id and not r.verified
        order by r.id desc offset ${rejectedPerSource}) as old
      order by old.id for update))`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Facts | null> {
  return await db.maybeOne(sql.type(Facts)`
    select ${facts} from intake.requests where id = ${id} and org_id = ${orgId}`)
}

const Body = table.Row.pick({ body: true })

/** Returns the body of a request. Null if the request was deleted. */
export async function findBody(db: Db, orgId: string, id: string): Promise<Buffer | null> {
  return await db.maybeOneFirst(sql.type(Body)`
    select body from intake.requests where id = ${id} and org_id = ${orgId}`)
}

export const filters = {
  source_id: table.equals('source_id'),
  verified: table.equals('verified'),
  status: table.equals('status'),
  job_status: table.equals('job_status'),
  event_type: table.equals('event_type'),
  event_id: table.equals('event_id'),
  since: (at: string) => sql.fragment`id >= ${firstIdAt(new Date(at))}`,
  until: (at: string) => sql.fragment`id < ${firstIdAt(new Date(at))}`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Facts[]> {
  return await db.any(sql.type(Facts)`
    select ${facts} from intake.requests where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Returns the oldest held requests of a source, locked. */
export async function listHeld(tx: Db, sourceId: string, limit: number): Promise<readonly Facts[]> {
  return await tx.any(sql.type(Facts)`
    select ${facts} from intake.requests where source_id = ${sourceId} and status = 'held'
    order by id limit ${limit} for update`)
}

/** Marks held requests as forwarded, or as stored if their source does not forward. */
export async function release(tx: Db, ids: readonly string[], status: 'forwarded' | 'stored'): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update intake.requests set status = ${status}, job_status = ${status === 'forwarded' ? 'pending' : null}
    where id = any(array(
      select id from intake.requests where id = any(${sql.array([...ids], 'uuid')}) order by id for update))`)
}

/** Stores the status of the newest jobs of requests, of any organisation. */
export async function setJobStatuses(tx: Db, statuses: readonly { id: string; status: JobStatus }[]): Promise<void> {
  if (statuses.length === 0) return
  await tx.query(sql.typeAlias('void')`
    with told as (
      select r.id, x.status from intake.requests as r join ${sql.unnest(
        statuses.map(({ id, status }) => [id, status]),
        ['uuid', 'text'],
      )} as x (id, status) on r.id = x.id
      order by r.id for update of r)
    update intake.requests as r set job_status = told.status from told where r.id = told.id`)
}

/** Returns verified requests of a source after the request `after`, oldest first. */
export async function listSince(
  db: Db,
  {
    orgId,
    sourceId,
    after,
    until,
    limit,
  }: { orgId: string; sourceId: string; after: string; until: string; limit: number },
): Promise<readonly Facts[]> {
  return await db.any(sql.type(Facts)`
    select ${facts} from intake.requests
    where org_id = ${orgId} and source_id = ${sourceId} and id > ${after} and id < ${until} and verified and status <> 'held'
    order by id limit ${limit}`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from intake.requests where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}
