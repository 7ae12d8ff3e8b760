import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'wiki',
  'article_versions',
  z.object({
    id: Id,
    article_id: Id,
    number: z.number(),
    title: z.string(),
    summary: z.string(),
    body: z.string(),
    tags: z.array(z.string()),
    comment: z.string().nullable(),
    author: z.string().nullable(),
    key_id: Id.nullable(),
    restored_from: z.number().nullable(),
    size: z.number(),
    sha256: z.string(),
    created_at: z.date(),
  }),
)

export type Version = z.infer<typeof table.Row>

const Entry = table.Row.omit({ body: true })

export type Entry = z.infer<typeof Entry>

export type Text = Pick<Version, 'title' | 'summary' | 'body' | 'tags'>

const columns = table.columns()

export async function insert(tx: Db, { tags, ...version }: Omit<Version, 'created_at'>): Promise<Version> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ ...version, tags: sql.array(tags, 'text') })} returning ${columns}`)
}

export async function find(db: Db, articleId: string, id: string): Promise<Version | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.article_versions where article_id = ${articleId} and id = ${id}`)
}

export async function findByNumber(db: Db, articleId: string, number: number): Promise<Version | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.article_versions where article_id = ${articleId} and number = ${number}`)
}

export async function newestBody(db: Db, orgId: string, articleId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ body: true }))`
    select v.body from wiki.articles as a join wiki.article_versions as v on v.article_id = a.id and v.number = a.version
    where a.id = ${articleId} and a.org_id = ${orgId}`)
}

export async function list(db: Db, articleId: string, { before, limit }: Part): Promise<readonly Entry[]> {
  return await db.any(sql.type(Entry)`
    select ${getColumns(Entry)} from wiki.article_versions
    where article_id = ${articleId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}
