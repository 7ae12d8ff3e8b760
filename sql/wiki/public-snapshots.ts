import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'

const PublicSnapshot = z.object({
  id: Id,
  source_id: Id,
  url: z.string(),
  title: z.string().nullable(),
  publisher: z.string().nullable(),
  captured_at: z.date(),
  http_status: z.number().nullable(),
  content_type: z.string().nullable(),
  sha256: z.string(),
  quotes: z.array(z.object({ quote: z.string(), slug: z.string(), title: z.string() })),
})

export type PublicSnapshot = z.infer<typeof PublicSnapshot>

/** Returns a snapshot that proves a claim of a published article, otherwise `null`. */
export async function find(db: Db, id: string): Promise<PublicSnapshot | null> {
  return await db.maybeOne(sql.type(PublicSnapshot)`
    select p.id, s.id as source_id, coalesce(p.final_url, s.canonical_url) as url, coalesce(s.title, p.title) as title, s.publisher,
      p.captured_at, p.http_status, p.content_type, p.sha256, q.quotes
    from wiki.snapshots as p join wiki.sources as s on s.id = p.source_id
    cross join lateral (
      select json_agg(distinct jsonb_build_object('quote', r.quote, 'slug', a.slug, 'title', v.title)) as quotes
      from wiki.claim_references as r
      join wiki.claims as c on c.id = r.claim_id and c.rank <> 'deprecated'
      join wiki.claim_articles as l on l.claim_id = c.id
      join wiki.articles as a on a.id = l.article_id
      join wiki.article_versions as v on v.article_id = a.id and v.number = a.published_version
      where r.snapshot_id = p.id and r.quote_verified
    ) as q
    where p.id = ${id} and ${isOpen('p')} and q.quotes is not null`)
}
