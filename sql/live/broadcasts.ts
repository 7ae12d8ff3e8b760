import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const EndReason = z.enum(['stopped', 'silent', 'ended', 'deleted', 'lost', 'failed'])

export type EndReason = z.infer<typeof EndReason>

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

/** A broadcast from the first connection of its publisher to its end. It includes short interruptions. */
export type Broadcast = z.infer<typeof table.Row>

const columns = table.columns()

export async function insert(
  tx: Db,
  broadcast: Pick<Broadcast, 'id' | 'org_id' | 'channel_id' | 'record'>,
): Promise<Broadcast> {
  return await tx.one(sql.type(table.Row)`${table.insert(broadcast)} returning ${columns}`)
}

export async function findAny(db: Db, id: string): Promise<Broadcast | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from live.broadcasts where id = ${id}`)
}

export async function list(
  db: Db,
  orgId: string,
  channelId: string,
  { before, limit }: Part,
): Promise<readonly Broadcast[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from live.broadcasts
    where channel_id = ${channelId} and org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

export async function setLive(tx: Db, id: string): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.broadcasts set live_at = now() where id = ${id} and live_at is null and ended_at is null
    returning ${columns}`)
}

/** Ends a broadcast. Returns the row the first time, and null afterwards. */
export async function setEnded(tx: Db, id: string, reason: EndReason): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.broadcasts set ended_at = now(), end_reason = ${reason} where id = ${id} and ended_at is null
    returning ${columns}`)
}

/** Stores the asset of a recording. Returns false if the broadcast already has one. */
export async function setAsset(tx: Db, id: string, assetId: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update live.broadcasts set asset_id = ${assetId} where id = ${id} and asset_id is null`)
  return set.rowCount === 1
}

/** Marks a recording as playable. Returns the row the first time, and null afterwards. */
export async function setRecorded(tx: Db, id: string): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.broadcasts set recorded_at = now()
    where id = ${id} and recorded_at is null and asset_id is not null returning ${columns}`)
}
