import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { runsInQueue } from '../jobs/graphile-schema.ts'
import { defineTable } from '../table.ts'

/** Pieces in which renditions are encoded. `units` is the number of megapixels to encode. */
export const table = defineTable(
  'video',
  'parts',
  z.object({ asset_id: Id, kind: z.enum(['chunk', 'first', 'audio']), number: z.number(), units: z.number() }),
)

type Row = z.infer<typeof table.Row>

/**
 * Name of a piece: chunk `number`, the same chunk in only the smallest rendition (`first`), or the audio (number 0).
 */
export type PieceName = Pick<Row, 'kind' | 'number'>

export async function insertMany(tx: Db, assetId: string, pieces: Omit<Row, 'asset_id'>[]): Promise<void> {
  const rows = pieces.map(({ kind, number, units }) => ({ asset_id: assetId, kind, number, units }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}

export async function isDone(db: Db, assetId: string, piece: PieceName): Promise<boolean> {
  return await db.exists(sql.type(z.object({ one: z.number() }))`
    select 1 as one from video.parts
    where asset_id = ${assetId} and kind = ${piece.kind} and number = ${piece.number} and done_at is not null`)
}

export async function unfinished(db: Db, assetId: string, kind: PieceName['kind']): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from video.parts
    where asset_id = ${assetId} and kind = ${kind} and done_at is null`)
}

export async function markFinished(
  tx: Db,
  assetId: string,
  piece: PieceName,
  cost: { cpuSeconds: number; wallSeconds: number },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.parts set done_at = coalesce(done_at, now()), cpu_seconds = ${cost.cpuSeconds}, wall_seconds = ${cost.wallSeconds}
    where asset_id = ${assetId} and kind = ${piece.kind} and number = ${piece.number}`)
}

const RemainingParts = z.object({ all: z.coerce.number(), first: z.coerce.number().nullable() })

/**
 * Counts the unfinished pieces, and the unfinished pieces of the smallest rendition (`null` if it is not encoded
 * first). Locks the asset’s row. If workers finish the last two pieces at the same time, the second worker waits for
 * the first commit and finds no unfinished piece.
 */
export async function remaining(tx: Db, assetId: string): Promise<z.infer<typeof RemainingParts>> {
  await tx.query(sql.type(z.object({ id: z.string() }))`select id from video.assets where id = ${assetId} for update`)
  return await tx.one(sql.type(RemainingParts)`
    select count(*) filter (where done_at is null) as all,
      case when bool_or(kind = 'first') then count(*) filter (where done_at is null and kind <> 'chunk') end as first
    from video.parts where asset_id = ${assetId}`)
}

/**
 * Returns the progress of encoding by work, 0 to 1. A running chunk counts by the progress that its run reported. The
 * run is identified by its job, so that a chunk that has just finished is not counted twice.
 */
export async function progress(db: Db, assetId: string): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ progress: z.number() }))`
    with under_way as (
      select (q.payload #>> '{payload,number}')::integer as number, r.progress,
        case q.payload #>> '{payload,rungs}' when 'lowest' then 'first' else 'chunk' end as kind
      from ${runsInQueue({ pool: 'media', schema: 'jobs_media' })}
      where r.subject = ${assetId} and r.task = 'video/encode-chunk')
    select coalesce(sum(part.units * case when part.done_at is null then coalesce(under_way.progress, 0) else 1 end)
      / nullif(sum(part.units), 0), 0)::float8 as progress
    from video.parts as part left join under_way on under_way.kind = part.kind and under_way.number = part.number
    where part.asset_id = ${assetId}`)
}
