import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { Chapter } from './chapter.ts'

/** Chapters of an asset with its length. Both are in seconds. */
const WithLength = z.object({ chapters: z.array(Chapter), seconds: z.number().nullable() })

export async function find(db: Db, assetId: string): Promise<z.infer<typeof WithLength> | null> {
  return await db.maybeOne(sql.type(WithLength)`
    select chapters, duration_seconds as seconds from video.assets where id = ${assetId} and status <> 'deleted'`)
}

/** Replaces the chapters of an asset that has not failed. Returns false if no such asset exists. */
export async function put(tx: Db, orgId: string, assetId: string, chapters: readonly Chapter[]): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set chapters = ${sql.jsonb([...chapters])}, has_chapters = ${chapters.length > 0}
    where id = ${assetId} and org_id = ${orgId} and status <> 'deleted'`)
  return set.rowCount === 1
}
