import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const Status = z.enum(['scheduled', 'live', 'ended'])

/** Broadcasts, written by the live area. */
export const table = defineTable(
  'directory',
  'live_streams',
  z.object({
    id: Id,
    org_id: Id,
    listed: z.boolean(),
    status: Status,
    channel_id: Id.nullable(),
    title: z.string(),
    description: z.string(),
    language: z.string().nullable(),
    hls_path: z.string().nullable(),
    viewer_count: z.number(),
    scheduled_start_at: z.date().nullable(),
    started_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

const Columns = table.Row.omit({ org_id: true, listed: true })

export const LiveStream = Columns.extend({
  channel_handle: z.string().nullable(),
  channel_name: z.string().nullable(),
})

export type LiveStream = z.infer<typeof LiveStream>

const columns = sql.fragment`${getColumns(Columns, 'l')}, c.handle as channel_handle, c.name as channel_name`
const from = sql.fragment`directory.live_streams as l left join directory.channels as c on c.id = l.channel_id`

export async function find(db: Db, id: string): Promise<LiveStream | null> {
  return await db.maybeOne(
    sql.type(LiveStream)`select ${columns} from ${from} where l.id = ${id} and l.listed and ${isOpen('l')}`,
  )
}

export async function findMany(db: Db, ids: readonly string[]): Promise<readonly LiveStream[]> {
  return await db.any(sql.type(LiveStream)`
    select ${columns} from ${from} where l.id = any(${sql.array([...ids], 'uuid')}) and l.listed and ${isOpen('l')}`)
}

export const filters = { status: table.equals('status', 'l') }

export async function list(db: Db, { where, before, limit }: Page<typeof filters>): Promise<readonly LiveStream[]> {
  return await db.any(sql.type(LiveStream)`
    select ${columns} from ${from}
    where l.listed and ${isOpen('l')} and ${where} and ${isOlder(before, ['l', 'id'])}
    order by l.id desc limit ${limit}`)
}
