import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'video',
  'mp4s',
  z.object({
    asset_id: Id,
    package_id: Id,
    rendition: z.string(),
    org_id: Id,
    state: z.enum(['queued', 'ready', 'failed']),
    bytes: z.number().nullable(),
  }),
)

export type Mp4 = z.infer<typeof table.Row>

const columns = table.columns()

export type Mp4Name = Pick<Mp4, 'asset_id' | 'package_id' | 'rendition'>

const named = ({ asset_id, package_id, rendition }: Mp4Name) =>
  sql.fragment`asset_id = ${asset_id} and package_id = ${package_id} and rendition = ${rendition}`

export const mp4Prefix = (assetId: string) => `video/mp4s/${assetId}/`

export const mp4Key = ({ asset_id, package_id, rendition }: Mp4Name) =>
  `${mp4Prefix(asset_id)}${package_id}/${rendition}.mp4`

/** Requests a file. Returns true if the file must be created, because it was never requested or has failed. */
export async function request(tx: Db, row: Omit<Mp4, 'state' | 'bytes'>): Promise<boolean> {
  const asked = await tx.query(sql.typeAlias('void')`
    ${table.insert(row)} on conflict (asset_id, package_id, rendition) do update set state = 'queued'
    where mp4s.state = 'failed'`)
  return asked.rowCount === 1
}

export async function find(db: Db, name: Mp4Name): Promise<Mp4 | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from video.mp4s where ${named(name)}`)
}

export async function end(tx: Db, name: Mp4Name, made: { state: 'ready'; bytes: number } | { state: 'failed' }) {
  await tx.query(sql.typeAlias('void')`
    update video.mp4s set ${table.set(made)} where ${named(name)} and state = 'queued'`)
}
