import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Assets that are fetched by their address. */
export const table = defineTable(
  'video',
  'imports',
  z.object({
    asset_id: Id,
    org_id: Id,
    url: z.string(),
    state: z.enum(['waiting', 'fetching', 'fetched', 'failed']),
    validator: z.string().nullable(),
    /** Bytes, where the server has told. */
    total: z.number().nullable(),
    part_bytes: z.number(),
    /** Bytes in storage, in whole parts but for the last. */
    received: z.number(),
    whole: z.boolean(),
    storage_upload: z.string().nullable(),
    setbacks: z.number(),
    restarts: z.number(),
    expires_at: z.date(),
  }),
)

/** A parsed import. */
export type Import = z.infer<typeof table.Row>

const columns = table.columns()

/** Records that an asset is to be fetched. */
export async function insert(tx: Db, row: Pick<Import, 'asset_id' | 'org_id' | 'url' | 'expires_at'>): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
}

export async function find(db: Db, assetId: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from video.imports where asset_id = ${assetId}`)
}

/** Those of assets that are fetched by their address. */
export async function among(db: Db, assetIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (assetIds.length === 0) return new Set()
  return new Set(
    await db.anyFirst(sql.type(z.object({ asset_id: Id }))`
      select asset_id from video.imports where asset_id = any(${sql.array([...assetIds], 'uuid')})`),
  )
}

/** What is still to be fetched, of an asset that is there. */
export async function findWork(db: Db, assetId: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns('i')} from video.imports as i join video.assets as a on a.id = i.asset_id
    where i.asset_id = ${assetId} and i.state in ('waiting', 'fetching') and a.status = 'uploading'`)
}

/** After so many seconds without a word its worker is taken to be gone. */
const turnSeconds = 120

/** Takes a turn; false while an organisation has `most` others under way. */
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

/** Gives the turn back. */
export async function endTurn(db: Db, assetId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update video.imports set turn_ends_at = null where asset_id = ${assetId}`)
}

/** Records how far it is, or what the server has said, by which its turn goes on. */
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

/** Ends an import; of its address the query is forgotten, which may hold a signature. False when it had ended. */
export async function end(tx: Db, assetId: string, state: 'fetched' | 'failed'): Promise<boolean> {
  const ended = await tx.query(sql.typeAlias('void')`
    update video.imports set state = ${state}, url = split_part(url, '?', 1), turn_ends_at = null
    where asset_id = ${assetId} and state in ('waiting', 'fetching')`)
  return ended.rowCount === 1
}
