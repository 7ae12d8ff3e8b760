import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { isOlder, type Page } from '../../filters.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'
import { sources } from './streams.ts'

/** Records that the server of a stream rejects, one by one. */
export const table = defineTable(
  'account',
  'log_stream_rejects',
  z.object({
    id: Id,
    stream_id: Id,
    org_id: Id,
    source: z.enum(sources),
    number: z.number(),
    record_id: z.string(),
    reason: z.string(),
    created_at: z.date(),
  }),
  { retention: days('LOG_STREAM_DAYS', 'created_at') },
)

export type Reject = z.infer<typeof table.Row>

export async function add(tx: Db, row: Omit<Reject, 'created_at'>): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(row)} on conflict (stream_id, source, number) do nothing`)
}

export const filters = { source: table.equals('source') }

export async function list(
  db: Db,
  { orgId, streamId }: { orgId: string; streamId: string },
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Reject[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.log_stream_rejects
    where org_id = ${orgId} and stream_id = ${streamId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
