import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'

/** An asset that the origin can play. Its content does not matter. */
export async function playableAsset(db: Db, orgId: string): Promise<{ id: string; package_id: string }> {
  const facts = { title: null, external_ref: null, filename: null, mime_type: null, watermark: null, bytes: 1 }
  const { id } = await assets.insert(db, { id: newId(), org_id: orgId, ...facts, profile: 'standard_vod' })
  const package_id = newId()
  const lists = { 'master.m3u8': '#EXTM3U\nx.m3u8\n', 'x.m3u8': '#EXTM3U\nx.m4s\n' }
  await playlists.insertMany(
    db,
    id,
    package_id,
    Object.entries(lists).map(([name, body]) => ({ name, body })),
  )
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'ready', stage = 'ready', package_id = ${package_id} where id = ${id}`)
  return { id, package_id }
}
