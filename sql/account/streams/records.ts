import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { getColumns } from '../../table.ts'
import { table as audit } from '../audit.ts'
import { table as requests } from '../usage/requests.ts'
import type { Source } from './streams.ts'

/** Part of a source after a number, up to `limit` records and about `bytes` bytes. */
export interface Part {
  orgId: string
  after: number
  limit: number
  bytes: number
}

const numbered = { record_number: z.number() }

export const AuditRecord = audit.Row.extend(numbered)

export const EventRecord = z.object({
  ...numbered,
  id: Id,
  type: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.date().nullable(),
})

const requestColumns = requests.Row.omit({ org_id: true, secret_id: true, request_head: true, response_head: true })

/** `status` is null if the request was deleted. */
export const RequestRecord = requestColumns.partial().extend({ ...numbered, id: Id, found: z.boolean() })

/** Keeps the rows `r` up to the number of bytes in `size`, and at least the first row. */
const withinBytes = (bytes: number) => sql.fragment`r.bytes_before < ${bytes} order by r.record_number`

const bytesBefore = sql.fragment`
  coalesce(sum(size) over (order by record_number rows between unbounded preceding and 1 preceding), 0) as bytes_before`

export async function listAudit(db: Db, { orgId, after, limit, bytes }: Part) {
  return await db.any(sql.type(AuditRecord)`
    select ${getColumns(audit.Row, 'r')}, r.record_number from (
      select n.*, ${bytesBefore} from (
        select ${audit.columns()}, number as record_number, 400 + coalesce(octet_length(before::text), 0)
          + coalesce(octet_length(after::text), 0) as size
        from account.audit where org_id = ${orgId} and number > ${after} order by number limit ${limit}) as n) as r
    where ${withinBytes(bytes)}`)
}

export async function listEvents(db: Db, { orgId, after, limit, bytes }: Part) {
  return await db.any(sql.type(EventRecord)`
    select r.record_number, r.id, r.type, r.data, r.created_at from (
      select n.*, ${bytesBefore} from (
        select q.number as record_number, q.id, e.type, e.data, e.created_at,
          200 + coalesce(octet_length(e.data::text), 0) as size
        from (
          select id, number from account.log_stream_queue
          where org_id = ${orgId} and source = 'events' and number > ${after} order by number limit ${limit}) as q
        left join webhooks.events as e on e.id = q.id and e.org_id = ${orgId}) as n) as r
    where ${withinBytes(bytes)}`)
}

export async function listRequests(db: Db, { orgId, after, limit, bytes }: Part) {
  return await db.any(sql.type(RequestRecord)`
    select ${getColumns(requestColumns.omit({ id: true }), 'r')}, r.id, r.record_number, r.found from (
      select n.*, ${bytesBefore} from (
        select q.number as record_number, q.id, ${getColumns(requestColumns.omit({ id: true }), 'e')},
          e.id is not null as found, 500 + coalesce(octet_length(e.error::text), 0) as size
        from (
          select id, number from account.log_stream_queue
          where org_id = ${orgId} and source = 'requests' and number > ${after} order by number limit ${limit}) as q
        left join account.requests as e on e.id = q.id and e.org_id = ${orgId}) as n) as r
    where ${withinBytes(bytes)}`)
}

/** Returns the last number of a source. The records up to it are stored, or were deleted. */
export async function findLastNumber(db: Db, orgId: string, source: Source): Promise<number> {
  const found = await db.maybeOneFirst(
    source === 'audit'
      ? sql.type(z.object({ number: z.number() }))`
          select number from account.audit where org_id = ${orgId} order by number desc limit 1`
      : sql.type(z.object({ number: z.number() }))`
          select number from account.log_stream_counters where org_id = ${orgId} and source = ${source}`,
  )
  return found ?? 0
}
