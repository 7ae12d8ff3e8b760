import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { ClippedFrom } from './clipped-from.ts'

/** Returns the origin of a clip that is not cut yet. */
export async function findWork(db: Db, assetId: string): Promise<ClippedFrom | null> {
  return await db.maybeOneFirst(sql.type(z.object({ clipped_from: ClippedFrom.nullable() }))`
    select clipped_from from video.assets where id = ${assetId} and status = 'processing' and bytes = 0`)
}

/** Stores the size of a cut clip. Returns false if the clip was already cut, or is no longer processed. */
export async function setCut(tx: Db, assetId: string, bytes: number): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set bytes = ${bytes} where id = ${assetId} and status = 'processing' and bytes = 0`)
  return set.rowCount === 1
}

/** Returns the expected size in bytes of the clips of an organisation that are not cut yet. */
export async function sumExpected(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ bytes: z.number() }))`
    select coalesce(sum((clipped_from ->> 'expectedBytes')::bigint), 0)::float8 as bytes from video.assets
    where clipped_from is not null and status = 'processing' and bytes = 0 and org_id = ${orgId}`)
}

/** True if clips must still be cut from the chunks of a broadcast. */
export async function isAwaited(db: Db, broadcastId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ one: z.number() }))`
    select 1 as one from video.assets
    where clipped_from is not null and clipped_from ->> 'broadcastId' = ${broadcastId} and status = 'processing' and bytes = 0`)
}
