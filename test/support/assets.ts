import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'

/** Creates a ready asset without files, as the pipeline leaves it. Returns its ID. */
export async function insertAsset(
  db: DatabasePool,
  orgId: string,
  given: Partial<
    Pick<
      assets.Asset,
      'id' | 'title' | 'filename' | 'visibility' | 'status' | 'width' | 'height' | 'duration_seconds' | 'poster'
    >
  >,
): Promise<string> {
  const usual = { title: null, width: 1280, height: 720, duration_seconds: 300, poster: true }
  const asset = { ...usual, visibility: 'public' as const, status: 'ready' as const, ...given }
  const id = given.id ?? newId()
  await db.query(sql.typeAlias('void')`
    ${assets.table.insert({ ...asset, id, org_id: orgId, bytes: 1000, stage: 'ready' })}`)
  return id
}
