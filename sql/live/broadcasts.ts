import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Why a broadcast ended. */
export const EndReason = z.enum(['stopped', 'silent', 'ended', 'deleted', 'lost', 'failed'])

export type EndReason = z.infer<typeof EndReason>

/** Broadcasts, those that are under way and those that are over. */
export const table = defineTable(
  'live',
  'broadcasts',
  z.object({
    id: Id,
    org_id: Id,
    channel_id: Id,
    record: z.boolean(),
    started_at: z.date(),
    live_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    end_reason: EndReason.nullable(),
    asset_id: Id.nullable(),
    recorded_at: z.date().nullable(),
  }),
)

/** A channel's broadcast from its publisher's first connection to the end; short gaps are within it. */
export type Broadcast = z.infer<typeof table.Row>

const columns = table.columns()

/** Begins a broadcast. */
export async function insert(
  tx: Db,
  broadcast: Pick<Broadcast, 'id' | 'org_id' | 'channel_id' | 'record'>,
): Promise<Broadcast> {
  return await tx.one(sql.type(table.Row)`${table.insert(broadcast)} returning ${columns}`)
}

/** A broadcast of any organisation. */
export async function findAny(db: Db, id: string): Promise<Broadcast | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from live.broadcasts where id = ${id}`)
}

/** A channel's broadcasts, newest first, after the one with id `before`. */
export async function list(
  db: Db,
  orgId: string,
  channelId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly Broadcast[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from live.broadcasts
    where channel_id = ${channelId} and org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

/** Notes that a broadcast can be watched; the row the first time, null when it was noted before. */
export async function setLive(tx: Db, id: string): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.broadcasts set live_at = now() where id = ${id} and live_at is null and ended_at is null
    returning ${columns}`)
}

/** Ends a broadcast; the row the first time, null when it was over. */
export async function setEnded(tx: Db, id: string, reason: EndReason): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.broadcasts set ended_at = now(), end_reason = ${reason} where id = ${id} and ended_at is null
    returning ${columns}`)
}

/** Notes the asset that a recording becomes; false when the broadcast has one. */
export async function setAsset(tx: Db, id: string, assetId: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update live.broadcasts set asset_id = ${assetId} where id = ${id} and asset_id is null`)
  return set.rowCount === 1
}

/** Notes that a recording can be played; the row the first time, else null. */
export async function setRecorded(tx: Db, id: string): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.broadcasts set recorded_at = now()
    where id = ${id} and recorded_at is null and asset_id is not null returning ${columns}`)
}
