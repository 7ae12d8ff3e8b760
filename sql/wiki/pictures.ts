import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { FileObject, table as files, type FileObject as Picture } from '../files/objects.ts'
import { defineTable } from '../table.ts'

export const table = defineTable('wiki', 'pictures', z.object({ article_id: Id, object_id: Id }))

export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const

const isPicture = sql.fragment`o.deleted_at is null and o.scan_status = 'clean' and o.sniffed_type = any(${sql.array([...pictureTypes], 'text')})`

export async function listInvalid(tx: Db, orgId: string, objectIds: readonly string[]): Promise<string[]> {
  const found = await tx.anyFirst(sql.type(files.Row.pick({ id: true }))`
    select o.id from files.objects as o
    where o.id = any(${sql.array([...objectIds], 'uuid')}) and o.org_id = ${orgId} and o.version_of is null and ${isPicture}`)
  const known = new Set(found)
  return objectIds.filter((id) => !known.has(id))
}

export async function replaceForArticle(tx: Db, articleId: string, objectIds: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from wiki.pictures where article_id = ${articleId}`)
  if (objectIds.length === 0) return
  await tx.query(sql.typeAlias('void')`
    ${table.insertMany(objectIds.map((object_id) => ({ article_id: articleId, object_id })))}`)
}

export async function hasAny(db: Db, articleId: string): Promise<boolean> {
  return await db.exists(
    sql.type(table.Row)`select article_id, object_id from wiki.pictures where article_id = ${articleId}`,
  )
}

/** Returns the newest clean image version of a file that a published article shows. */
export async function findShown(db: Db, objectId: string): Promise<Picture | null> {
  return await db.maybeOne(sql.type(FileObject)`
    select ${files.columns('o')} from files.objects as o
    where (o.id = ${objectId} or o.version_of = ${objectId}) and ${isPicture} and exists (
      select from wiki.pictures as p join wiki.articles as a on a.id = p.article_id and a.status = 'published'
      where p.object_id = ${objectId} and a.org_id = o.org_id)
    order by o.version desc limit 1`)
}
