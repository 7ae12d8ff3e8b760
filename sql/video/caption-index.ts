import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { table } from './captions.ts'

/** Records that the cues of the current text are stored. */
export async function markIndexed(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update video.captions set cues_revision = revision where id = ${id}`)
}

const NotIndexed = table.Row.pick({ id: true, org_id: true, asset_id: true, language: true, revision: true })

/** Lists captions of earlier releases, whose cues are not stored, after the captions with the ID `after`. */
export async function listNotIndexed(
  db: Db,
  after: string | null,
  limit: number,
): Promise<readonly z.infer<typeof NotIndexed>[]> {
  return await db.any(sql.type(NotIndexed)`
    select ${getColumns(NotIndexed, 'c')} from video.captions as c
    where c.state = 'ready' and c.cues_revision is null
      and (${after}::uuid is null or c.id > ${after}) order by c.id limit ${limit}`)
}

/** Locks captions whose cues are not stored. Returns false if their text has changed or they were deleted. */
export async function lockNotIndexed(tx: Db, { id, revision }: { id: string; revision: number }): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from video.captions where id = ${id} and revision = ${revision} and cues_revision is null for no key update`)
}
