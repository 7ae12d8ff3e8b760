import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from './db.ts'

export interface Naming {
  table: string
  key: readonly (readonly [column: string, type: 'uuid' | 'integer' | 'text'])[]
  facts: Readonly<Record<string, FragmentSqlToken>>
  where: FragmentSqlToken
  limit: number
}

const column = (name: string) => sql.fragment`${sql.identifier(['t', name])}`
const columns = (...names: string[]) => Object.fromEntries(names.map((name) => [name, column(name)]))
const id = [['id', 'uuid']] as const
const isServed = (assetId: string) => sql.fragment`
  from video.assets as a where a.id = ${column(assetId)} and a.status in ('processing', 'ready')`

/**
 * All tables whose rows reference objects. Excluded: uploads in progress, which reference no object yet, and images of
 * a live channel, which are replaced within seconds.
 */
export const namings = [
  {
    table: 'files.objects',
    key: id,
    facts: columns('held_key'),
    where: sql.fragment`t.held_key is not null and t.deleted_at is null`,
    limit: 1_000,
  },
  {
    table: 'files.image_variants',
    key: id,
    facts: columns('id', 'object_id'),
    where: sql.fragment`t.state = 'made'`,
    limit: 1_000,
  },
  {
    table: 'email.received',
    key: id,
    facts: columns('id'),
    where: sql.fragment`t.status <> 'arriving'`,
    limit: 1_000,
  },
  {
    table: 'video.assets',
    key: id,
    facts: {
      ...columns('id', 'poster', 'own_poster', 'only_own_poster'),
      preview_id: sql.fragment`case when t.preview ->> 'state' = 'ready' then t.preview ->> 'id' end`,
      mezzanine: sql.fragment`case when t.status = 'processing' then t.mezzanine ->> 'path' end`,
      is_open: sql.fragment`t.visibility in ('unlisted', 'public')`,
    },
    where: sql.fragment`t.status in ('processing', 'ready')
      or (t.status = 'failed' and t.failure_code is not null and t.source_removed_at is null)`,
    limit: 500,
  },
  {
    table: 'video.parts',
    key: [
      ['asset_id', 'uuid'],
      ['kind', 'text'],
      ['number', 'integer'],
    ],
    facts: {
      ...columns('asset_id', 'kind', 'number'),
      plan: sql.fragment`(select plan from video.assets where id = t.asset_id)`,
      lowest_first: sql.fragment`exists (select from video.parts where asset_id = t.asset_id and kind = 'first')`,
    },
    where: sql.fragment`t.done_at is not null
      and exists (select from video.assets where id = t.asset_id and status = 'processing')`,
    limit: 50,
  },
  {
    table: 'video.playlists',
    key: [
      ['package_id', 'uuid'],
      ['name', 'text'],
    ],
    facts: columns('asset_id', 'package_id', 'name', 'body'),
    where: sql.fragment`exists (select ${isServed('asset_id')} and a.package_id = t.package_id)`,
    limit: 10,
  },
  {
    table: 'video.captions',
    key: id,
    facts: columns('asset_id', 'language'),
    where: sql.fragment`t.state = 'ready' and t.body is null and exists (select ${isServed('asset_id')})`,
    limit: 1_000,
  },
  {
    table: 'video.mp4s',
    key: [
      ['asset_id', 'uuid'],
      ['package_id', 'uuid'],
      ['rendition', 'text'],
    ],
    facts: columns('asset_id', 'package_id', 'rendition'),
    where: sql.fragment`t.state = 'ready' and exists (select ${isServed('asset_id')})`,
    limit: 1_000,
  },
  {
    table: 'video.watermarks',
    key: id,
    facts: columns('id'),
    where: sql.fragment`t.state = 'ready'`,
    limit: 1_000,
  },
  {
    table: 'live.chunks',
    key: [
      ['broadcast_id', 'uuid'],
      ['number', 'integer'],
    ],
    facts: columns('key'),
    where: sql.fragment`not exists (select from live.broadcasts where id = t.broadcast_id and asset_id is not null)`,
    limit: 1_000,
  },
  {
    table: 'rooms.chunks',
    key: [
      ['recording_id', 'uuid'],
      ['number', 'integer'],
    ],
    facts: columns('key'),
    where: sql.fragment`not exists (select from rooms.recordings where id = t.recording_id and asset_id is not null)`,
    limit: 1_000,
  },
  {
    table: 'wiki.snapshots',
    key: id,
    facts: columns('org_id', 'sha256'),
    where: sql.fragment`t.status = 'ok' and t.bytes_pruned_at is null`,
    limit: 1_000,
  },
  {
    table: 'account.exports',
    key: id,
    facts: columns('object_key'),
    where: sql.fragment`t.object_key is not null and t.expires_at > now()`,
    limit: 1_000,
  },
  {
    table: 'erp.imports',
    key: id,
    facts: columns('object_key'),
    where: sql.fragment`t.object_key is not null and t.state <> 'done'`,
    limit: 1_000,
  },
] as const satisfies readonly Naming[]

export type NamingTable = (typeof namings)[number]['table']

const Row = z.object({ key: z.array(z.string()), facts: z.record(z.string(), z.unknown()).nullable() })

/**
 * A row: its primary key as strings, and the values that identify its objects. Null if the row references no object.
 */
export type NamingRow = z.infer<typeof Row>

/**
 * Returns the next batch of rows after a key. The batch includes rows without objects, so that no statement searches
 * for long.
 */
export async function page(
  db: Db,
  { table, key, facts, where, limit }: Naming,
  after: readonly string[] | undefined,
): Promise<readonly NamingRow[]> {
  const keys = sql.join(
    key.map(([name]) => column(name)),
    sql.fragment`, `,
  )
  const texts = sql.join(
    key.map(([name]) => sql.fragment`${column(name)}::text`),
    sql.fragment`, `,
  )
  const pairs = Object.entries(facts).flatMap(([name, value]) => [sql.fragment`${name}::text`, value])
  const from = after?.map((value, i) => sql.fragment`${value}::text::${sql.identifier([key[i]?.[1] ?? 'text'])}`)
  const later = from ? sql.fragment`(${keys}) > (${sql.join(from, sql.fragment`, `)})` : sql.fragment`true`
  return await db.any(sql.type(Row)`
    select array[${texts}] as key,
      case when ${where} then json_build_object(${sql.join(pairs, sql.fragment`, `)}) end as facts
    from ${sql.identifier(table.split('.'))} as t where ${later} order by ${keys} limit ${limit}`)
}
