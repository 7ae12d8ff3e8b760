import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

/**
 * What a viewer needs to watch. `signed`: a playback session. `unlisted`: the URL. `public`: the URL, and the directory
 * lists the broadcasts.
 */
export const Visibility = z.enum(['signed', 'unlisted', 'public'])

export const RenditionHeight = z.union([z.literal(720), z.literal(480), z.literal(360)])

export type RenditionHeight = z.infer<typeof RenditionHeight>

export const table = defineTable(
  'live',
  'channels',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    slug: z.string(),
    record: z.boolean(),
    dvr_seconds: z.number(),
    renditions: z.array(RenditionHeight),
    slate: z.boolean(),
    visibility: Visibility,
    primary_hash: z.string(),
    backup_hash: z.string(),
    former_primary_hash: z.string().nullable(),
    former_backup_hash: z.string().nullable(),
    srt_port: z.number().nullable(),
    srt_passphrase: z.string(),
    closed_until: z.date().nullable(),
    directory_id: Id.nullable(),
    created_at: z.date(),
    deleted_at: z.date().nullable(),
  }),
)

export type Channel = z.infer<typeof table.Row>

/** Purpose of the encryption of SRT passphrases. The associated data is the channel's ID. */
export const sealPurpose = 'video live srt'

/** Postgres channel that notifies workers of a changed live channel. The payload is its ID. */
export const liveChannel = 'video_live'

/**
 * Postgres channel that notifies ingress of a revoked playback session, or of a live channel that now needs a session.
 * The payload is its ID. Requests that wait are then rejected.
 */
export const revokedChannel = 'video_live_revoked'

const columns = table.columns()

/**
 * Locks the channels of an organisation until the transaction ends and returns their number. Prevents concurrent
 * requests from exceeding the maximum number or using the same slug.
 */
export async function lockCount(tx: Db, orgId: string): Promise<number> {
  await lockOrgLimit(tx, orgId, 'live.channels')
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from live.channels where org_id = ${orgId} and deleted_at is null`)
}

/**
 * Returns the first free port of the range, or null if there is none. Only one request at a time can reserve a port.
 */
export async function takePort(tx: Db, [first, last]: readonly [number, number]): Promise<number | null> {
  await tx.query(
    sql.type(
      z.object({ locked: z.unknown() }),
    )`select pg_advisory_xact_lock(${advisoryLockSpaces.srtPort}, 0) as locked`,
  )
  return await tx.maybeOneFirst(sql.type(z.object({ port: z.number() }))`
    select port from generate_series(${first}::integer, ${last}::integer) as port
    where not exists (select from live.channels where srt_port = port and deleted_at is null)
    order by port limit 1`)
}

/**
 * Replaces the SRT port `taken` of a channel. Returns null if no port is free, or if the channel already has a
 * different port.
 */
export async function movePort(
  tx: Db,
  id: string,
  taken: number,
  range: readonly [number, number],
): Promise<number | null> {
  const port = await takePort(tx, range)
  if (port === null) return null
  return await tx.maybeOneFirst(sql.type(z.object({ port: z.number() }))`
    update live.channels set srt_port = ${port} where id = ${id} and srt_port = ${taken} returning srt_port as port`)
}

/** Returns the slugs of an organisation that are equal to `slug` or start with `slug-`. */
export async function listSlugs(tx: Db, orgId: string, slug: string): Promise<ReadonlySet<string>> {
  const found = await tx.anyFirst(sql.type(z.object({ slug: z.string() }))`
    select slug from live.channels
    where org_id = ${orgId} and deleted_at is null and (slug = ${slug} or slug like ${`${slug}-%`})`)
  return new Set(found)
}

export async function insert(
  tx: Db,
  channel: Omit<
    Channel,
    | 'created_at'
    | 'deleted_at'
    | 'closed_until'
    | 'directory_id'
    | 'visibility'
    | 'renditions'
    | 'slate'
    | 'former_primary_hash'
    | 'former_backup_hash'
  > &
    Partial<Pick<Channel, 'visibility' | 'renditions' | 'slate'>>,
): Promise<Channel> {
  const { renditions = [], ...rest } = channel
  const row = { ...rest, renditions: sql.array(renditions, 'int4') }
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Channel | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.channels where id = ${id} and org_id = ${orgId} and deleted_at is null`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Channel[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from live.channels
    where org_id = ${orgId} and deleted_at is null and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<readonly Channel[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from live.channels where id = any(${sql.array([...ids], 'uuid')}) and deleted_at is null`)
}

export async function findAny(db: Db, id: string): Promise<Channel | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.channels where id = ${id} and deleted_at is null`)
}

export async function findIncludingDeleted(db: Db, id: string): Promise<Channel> {
  return await db.one(sql.type(table.Row)`select ${columns} from live.channels where id = ${id}`)
}

export async function listWithPort(db: Db): Promise<readonly Channel[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from live.channels where srt_port is not null and deleted_at is null order by id`)
}

/** Returns the channel of a stream key and which key it is. Returns null if the organisation is being closed. */
export async function findByKey(
  db: Db,
  hash: string,
): Promise<{ channel: Channel; which: 'primary' | 'backup' } | null> {
  const channel = await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.channels
    where (primary_hash = ${hash} or backup_hash = ${hash}) and deleted_at is null and not account.is_closing(org_id)`)
  return channel && { channel, which: channel.primary_hash === hash ? 'primary' : 'backup' }
}

export async function findByFormerKey(
  db: Db,
  hash: string,
): Promise<{ channel: Channel; which: 'primary' | 'backup' } | null> {
  const channel = await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.channels
    where (former_primary_hash = ${hash} or former_backup_hash = ${hash}) and deleted_at is null limit 1`)
  return channel && { channel, which: channel.former_primary_hash === hash ? 'primary' : 'backup' }
}

export async function update(
  tx: Db,
  orgId: string,
  id: string,
  {
    renditions,
    ...changes
  }: {
    [K in 'name' | 'slug' | 'record' | 'dvr_seconds' | 'visibility' | 'renditions' | 'slate']?: Channel[K] | undefined
  },
): Promise<Channel | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.channels
    set ${table.set({ ...changes, renditions: renditions && sql.array(renditions, 'int4') })}
    where id = ${id} and org_id = ${orgId} and deleted_at is null returning ${columns}`)
}

/** Assigns a channel to a channel of the directory, or to none. Returns null if the channel does not exist. */
export async function setDirectory(
  tx: Db,
  orgId: string,
  id: string,
  directoryId: string | null,
  former?: string,
): Promise<Channel | null> {
  const from = former === undefined ? sql.fragment`true` : sql.fragment`directory_id = ${former}`
  return await tx.maybeOne(sql.type(table.Row)`
    update live.channels set directory_id = ${directoryId}
    where id = ${id} and org_id = ${orgId} and deleted_at is null and ${from} returning ${columns}`)
}

/**
 * Stores a new key hash and keeps the old one as the previous key, or replaces the SRT passphrase. Returns false if the
 * channel does not exist.
 */
export async function setKey(
  tx: Db,
  orgId: string,
  id: string,
  key: 'primary_hash' | 'backup_hash' | 'srt_passphrase',
  value: string,
): Promise<boolean> {
  const former =
    key === 'srt_passphrase'
      ? sql.fragment``
      : sql.fragment`, ${sql.identifier([`former_${key}`])} = ${sql.identifier([key])}`
  const set = await tx.query(sql.typeAlias('void')`
    update live.channels set ${sql.identifier([key])} = ${value} ${former}
    where id = ${id} and org_id = ${orgId} and deleted_at is null`)
  return set.rowCount === 1
}

export async function close(tx: Db, id: string, seconds: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update live.channels set closed_until = now() + make_interval(secs => ${seconds}) where id = ${id}`)
}

/**
 * Deletes a channel. Its keys become invalid and its port is free. Its past broadcasts are kept. Returns false if the
 * channel does not exist.
 */
export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const removed = await tx.query(sql.typeAlias('void')`
    update live.channels set deleted_at = now() where id = ${id} and org_id = ${orgId} and deleted_at is null`)
  return removed.rowCount === 1
}

export async function notifyChanged(tx: Db, id: string): Promise<void> {
  await tx.query(sql.type(z.object({ notified: z.unknown() }))`select pg_notify(${liveChannel}, ${id}) as notified`)
}

export async function notifyRevoked(tx: Db, id: string): Promise<void> {
  await tx.query(sql.type(z.object({ notified: z.unknown() }))`select pg_notify(${revokedChannel}, ${id}) as notified`)
}
