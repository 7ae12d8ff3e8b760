import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { type Article, table } from './articles.ts'
import { isUnproven } from './evidence.ts'

const Counts = z.object({
  drafts: z.number(),
  published: z.number(),
  withdrawn: z.number(),
  sources: z.number(),
  claims: z.number(),
  pending: z.number(),
  failed: z.number(),
})

export async function counts(db: Db): Promise<z.infer<typeof Counts>> {
  return await db.one(sql.type(Counts)`
    select count(*) filter (where status = 'draft') as drafts, count(*) filter (where status = 'published') as published,
      count(*) filter (where status = 'withdrawn') as withdrawn,
      (select count(*) from wiki.sources) as sources,
      (select count(*) from wiki.claims where rank <> 'deprecated') as claims,
      (select count(*) from wiki.snapshots where status = 'pending') as pending,
      (select count(*) from wiki.snapshots where status = 'failed' and captured_at > now() - interval '7 days') as failed
    from wiki.articles`)
}

const Row = table.Row.extend({ org: z.string(), title: z.string(), claims: z.number(), unproven: z.number() })

export type Row = z.infer<typeof Row>

const row = sql.fragment`
  select ${table.columns('a')}, o.name as org, v.title, c.claims, c.unproven
  from wiki.articles as a join account.orgs as o on o.id = a.org_id
  join wiki.article_versions as v on v.article_id = a.id and v.number = a.version
  cross join lateral (
    select count(*) as claims, count(*) filter (where ${isUnproven}) as unproven
    from wiki.claim_articles as l join wiki.claims as c on c.id = l.claim_id and c.rank <> 'deprecated'
    where l.article_id = a.id
  ) as c`

export async function articles(
  db: Db,
  { status, before, limit }: { status: Article['status'] | undefined; before: string | undefined; limit: number },
): Promise<readonly Row[]> {
  return await db.any(sql.type(Row)`
    ${row} where (${status ?? null}::text is null or a.status = ${status ?? null})
      and (${before ?? null}::uuid is null or a.id < ${before ?? null})
    order by a.id desc limit ${limit}`)
}

export async function find(db: Db, name: string): Promise<Row | null> {
  const id = Id.safeParse(name).success ? name : null
  return await db.maybeOne(sql.type(Row)`
    ${row} where a.id = coalesce(${id}::uuid, (select article_id from wiki.slugs where slug = ${name}))`)
}

const FailedSnapshot = z.object({
  id: Id,
  org: z.string(),
  url: z.string(),
  error_code: z.string(),
  error_message: z.string().nullable(),
  captured_at: z.date(),
})

export type FailedSnapshot = z.infer<typeof FailedSnapshot>

export async function failures(db: Db, limit: number): Promise<readonly FailedSnapshot[]> {
  return await db.any(sql.type(FailedSnapshot)`
    select p.id, o.name as org, s.canonical_url as url, p.error_code, p.error_message, p.captured_at
    from wiki.snapshots as p join wiki.sources as s on s.id = p.source_id join account.orgs as o on o.id = p.org_id
    where p.status = 'failed' and p.captured_at > now() - interval '7 days' order by p.id desc limit ${limit}`)
}
