import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

/** Whether articles of an organisation need a review before publication. */
export const settings = defineTable(
  'wiki',
  'settings',
  z.object({ org_id: Id, review: z.enum(['none', 'required']), updated_at: z.date() }),
)

export type Review = z.infer<typeof settings.Row>['review']

export const table = defineTable(
  'wiki',
  'reviews',
  z.object({
    id: Id,
    article_id: Id,
    version: z.number(),
    key_id: Id,
    reviewer: z.string().nullable(),
    decision: z.enum(['approved', 'rejected']),
    comment: z.string().nullable(),
    evidence: z.string().nullable(),
    created_at: z.date(),
  }),
)

export type ReviewRow = z.infer<typeof table.Row>

export async function getReviewSetting(db: Db, orgId: string): Promise<Review> {
  const found = await db.maybeOneFirst(sql.type(settings.Row.pick({ review: true }))`
    select review from wiki.settings where org_id = ${orgId}`)
  return found ?? 'none'
}

export async function setReview(tx: Db, orgId: string, review: Review): Promise<Review> {
  await tx.query(sql.typeAlias('void')`
    insert into wiki.settings (org_id) values (${orgId}) on conflict (org_id) do update set org_id = excluded.org_id`)
  const before = await getReviewSetting(tx, orgId)
  await tx.query(sql.typeAlias('void')`
    update wiki.settings set review = ${review}, updated_at = now() where org_id = ${orgId}`)
  return before
}

export async function insert(tx: Db, review: Omit<ReviewRow, 'created_at'>): Promise<ReviewRow> {
  return await tx.one(sql.type(table.Row)`${table.insert(review)} returning ${table.columns()}`)
}

export async function list(
  db: Db,
  articleId: string,
  version: number,
  { before, limit }: Part,
): Promise<readonly ReviewRow[]> {
  const older = before === undefined ? sql.fragment`` : sql.fragment`and id < ${before}`
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from wiki.reviews where article_id = ${articleId} and version = ${version} ${older}
    order by id desc limit ${limit}`)
}

export async function listLastDecisions(db: Db, articleId: string, version: number): Promise<readonly ReviewRow[]> {
  return await db.any(sql.type(table.Row)`
    select distinct on (key_id) ${table.columns()} from wiki.reviews
    where article_id = ${articleId} and version = ${version} order by key_id, id desc`)
}
