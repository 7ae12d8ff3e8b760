import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'video',
  'imports',
  z.object({
    asset_id: Id,
    org_id: Id,
    url: z.string(),
    state: z.enum(['waiting', 'fetching', 'fetched', 'failed']),
    validator: z.string().nullable(),
    /** Size in bytes, if the server has reported it. */
    total: z.number().nullable(),
    part_bytes: z.number(),
    /** Number of bytes in storage, in whole parts except the last. */
    received: z.number(),
    whole: z.boolean(),
    storage_upload: z.string().nullable(),
    setbacks: z.number(),
    restarts: z.number(),
    expires_at: z.date(),
  }),
)

export type Import = z.infer<typeof table.Row>

const columns = table.columns()

export async function insert(tx: Db, row: Pick<Import, 'asset_id' | 'org_id' | 'url' | 'expires_at'>): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
}

export async function find(db: Db, assetId: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from video.imports where asset_id = ${assetId}`)
}

export async function filterImports(db: Db, assetIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (assetIds.length === 0) return new Set()
  return new Set(
    await db.anyFirst(sql.type(z.object({ asset_id: Id }))`
      select asset_id from video.imports where asset_id = any(${sql.array([...assetIds], 'uuid')})`),
  )
}

export async function findWork(db: Db, assetId: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns('i')} from video.imports as i join video.assets as a on a.id = i.asset_id
    where i.asset_id = ${assetId} and i.state in ('waiting', 'fetching') and a.status = 'uploading'`)
}

/** Time in seconds without a report after which the worker counts as lost. */
const turnSeconds = 120

/** Takes a turn. Returns false while `most` other imports of the organisation are running. */
export async function takeTurn(
  tx: Db,
  { asset_id, org_id }: Pick<Import, 'asset_id' | 'org_id'>,
  most: number,
): Promise<boolean> {
  const taken = await tx.query(sql.typeAlias('void')`
    update video.imports set state = 'fetching', turn_ends_at = now() + ${turnSeconds} * interval '1 second'
    where asset_id = ${asset_id} and state in ('waiting', 'fetching') and (
      select count(*) from video.imports where org_id = ${org_id} and asset_id <> ${asset_id} and turn_ends_at > now()) < ${most}`)
  return taken.rowCount === 1
}

export async function endTurn(db: Db, assetId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update video.imports set turn_ends_at = null where asset_id = ${assetId}`)
}

/** Records the progress or the data that the server reported, and extends the turn. */
export async function change(
  tx: Db,
  assetId: string,
  values: Partial<
    Pick<
      Import,
      'validator' | 'total' | 'part_bytes' | 'received' | 'whole' | 'storage_upload' | 'setbacks' | 'restarts'
    >
  >,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.imports set ${table.set(values)}, turn_ends_at = now() + ${turnSeconds} * interval '1 second'
    where asset_id = ${assetId} and state = 'fetching'`)
}

export async function end(tx: Db, assetId: string, state: 'fetched' | 'failed'): Promise<boolean> {
  const ended = await tx.query(sql.typeAlias('void')`
    update video.imports set state = ${state}, url = split_part(url, '?', 1), turn_ends_at = null
    where asset_id = ${assetId} and state in ('waiting', 'fetching')`)
  return ended.rowCount === 1
}
