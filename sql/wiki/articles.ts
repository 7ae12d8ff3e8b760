import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

export const statuses = ['draft', 'published', 'withdrawn'] as const

export const table = defineTable(
  'wiki',
  'articles',
  z.object({
    id: Id,
    org_id: Id,
    slug: z.string(),
    language: z.string(),
    status: z.enum(statuses),
    version: z.number(),
    published_version: z.number().nullable(),
    first_published_at: z.date().nullable(),
    withdrawal_reason: z.string().nullable(),
    withdrawn_at: z.date().nullable(),
    revision: z.number(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Article = z.infer<typeof table.Row>

export const ArticleView = table.Row.extend({ title: z.string(), summary: z.string(), tags: z.array(z.string()) })

export type ArticleView = z.infer<typeof ArticleView>

const columns = table.columns()

/** Adds a draft. Its slug must already be claimed. */
export async function insert(tx: Db, article: Pick<Article, 'id' | 'org_id' | 'slug' | 'language'>): Promise<Article> {
  return await tx.one(sql.type(table.Row)`${table.insert(article)} returning ${columns}`)
}

/** Claims a slug for an article, which can be created later. Returns false if another article has or had the slug. */
export async function takeSlug(tx: Db, articleId: string, slug: string): Promise<boolean> {
  const owner = await tx.oneFirst(sql.type(z.object({ article_id: Id }))`
    insert into wiki.slugs (slug, article_id) values (${slug}, ${articleId})
    on conflict (slug) do update set slug = excluded.slug returning article_id`)
  return owner === articleId
}

export async function listSlugsWithPrefix(db: Db, start: string): Promise<ReadonlySet<string>> {
  const rows = await db.any(sql.type(z.object({ slug: z.string() }))`
    select slug from wiki.slugs where slug = ${start} or starts_with(slug, ${`${start}-`})
    order by length(slug) desc, slug desc limit 1000`)
  return new Set(rows.map(({ slug }) => slug))
}

export async function find(db: Db, orgId: string, id: string): Promise<Article | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.articles where id = ${id} and org_id = ${orgId}`)
}

export async function findAny(db: Db, id: string): Promise<Article | null> {
  return await db.maybeOne(
    sql.type(table.Row)`select ${columns} from wiki.articles where id = ${id} and ${isOpen('articles')}`,
  )
}

/** Returns an article, locked until the transaction ends. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Article | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.articles where id = ${id} and org_id = ${orgId} for update`)
}

/** Finds the article that has or had a slug, of one organisation or of any. */
export async function findBySlug(db: Db, slug: string, orgId: string | null): Promise<Article | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns('a')} from wiki.slugs as s join wiki.articles as a on a.id = s.article_id
    where s.slug = ${slug} and ${isOpen('a')} and (${orgId}::uuid is null or a.org_id = ${orgId})`)
}

export const filters = { status: table.equals('status', 'a') }

export async function list(
  db: Db,
  orgId: string | null,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ArticleView[]> {
  return await db.any(sql.type(ArticleView)`
    select ${getColumns(table.Row, 'a')}, v.title, v.summary, v.tags
    from wiki.articles as a join wiki.article_versions as v on v.article_id = a.id and v.number = a.version
    where (${orgId}::uuid is null or a.org_id = ${orgId}) and ${where} and ${isOlder(before, ['a', 'id'])}
    order by a.id desc limit ${limit}`)
}

/** Updates a locked article and increases its revision. */
export async function change(
  tx: Db,
  { id, slug, language, status, version, published_version, withdrawal_reason }: Article,
): Promise<Article> {
  return await tx.one(sql.type(table.Row)`
    update wiki.articles set slug = ${slug}, language = ${language}, status = ${status}, version = ${version},
      published_version = ${published_version}, withdrawal_reason = ${withdrawal_reason},
      withdrawn_at = case when ${status} = 'withdrawn' then coalesce(withdrawn_at, now()) end,
      first_published_at = case when ${status} = 'published' then coalesce(first_published_at, now()) else first_published_at end,
      revision = revision + 1, updated_at = now()
    where id = ${id} returning ${columns}`)
}

export async function remove(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from wiki.articles where id = ${id}`)
}
