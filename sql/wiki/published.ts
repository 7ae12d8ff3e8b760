import { z } from 'zod'
import { fold } from '#lib/fold.ts'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** What the search reads: a row for each published article. */
export const table = defineTable(
  'wiki',
  'published',
  z.object({
    article_id: Id,
    org_id: Id,
    text: z.string(),
    tags: z.array(z.string()),
    title_words: z.string(),
    words: z.string(),
    published_at: z.date(),
  }),
)

/** Characters of an article's text that the search knows: more would not surely fit a tsvector, which holds 1 MiB. */
export const searchedLength = 100_000

/**
 * Articles that a search ranks: of those with its words in the title, and of those with its words anywhere, the newest so many
 * each. Ranking reads every word of an article, and words that are in all articles must not cost all of them.
 */
const ranked = 200

/** Makes an article's version the one that is found. */
export async function put(
  tx: Db,
  article: { id: string; org_id: string },
  { title, summary, tags, text }: { title: string; summary: string; tags: readonly string[]; text: string },
): Promise<void> {
  const weighed = (words: string, weight: string) =>
    sql.fragment`setweight(to_tsvector('simple', ${fold(words)}), ${weight})`
  const known = text.slice(0, searchedLength)
  await tx.query(sql.typeAlias('void')`
    insert into wiki.published (article_id, org_id, text, tags, title_words, words, published_at)
    values (${article.id}, ${article.org_id}, ${known}, ${sql.array([...tags], 'text')}, to_tsvector('simple', ${fold(title)}),
      ${weighed(title, 'A')} || ${weighed(tags.join(' , '), 'B')} || ${weighed(summary, 'C')} || ${weighed(known, 'D')}, now())
    on conflict (article_id) do update set text = excluded.text, tags = excluded.tags, title_words = excluded.title_words,
      words = excluded.words, published_at = excluded.published_at`)
}

/** Takes an article out of what is found. */
export async function remove(tx: Db, articleId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from wiki.published where article_id = ${articleId}`)
}

const Shown = z.object({
  id: Id,
  slug: z.string(),
  language: z.string(),
  version: z.number(),
  title: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  first_published_at: z.date(),
  published_at: z.date(),
})

/** A published article in a list. */
export type Shown = z.infer<typeof Shown>

const shown = sql.fragment`a.id, a.slug, a.language, v.number as version, v.title, v.summary, v.tags, a.first_published_at, p.published_at`

const joined = sql.fragment`
  join wiki.articles as a on a.id = p.article_id
  join wiki.article_versions as v on v.article_id = a.id and v.number = a.published_version`

/** Which published articles are asked for. */
interface Wanted {
  orgId: string | null
  tag: string | undefined
  language: string | undefined
}

const wantedOf = ({ orgId, tag, language }: Wanted) => sql.fragment`
  (${orgId}::uuid is null or p.org_id = ${orgId})
  and (${tag ?? null}::text is null or p.tags @> array[${tag ?? null}::text])
  and (${language ?? null}::text is null
    or exists (select from wiki.articles as l where l.id = p.article_id and l.language = ${language ?? null}))`

/** Published articles by falling id. */
export async function list(
  db: Db,
  wanted: Wanted,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly Shown[]> {
  return await db.any(sql.type(Shown)`
    select ${shown} from wiki.published as p ${joined}
    where ${wantedOf(wanted)} and (${before ?? null}::uuid is null or p.article_id < ${before ?? null})
    order by p.article_id desc limit ${limit}`)
}

const Found = Shown.extend({ text: z.string(), rank: z.number() })

/** An article that a search has found. */
export type Found = z.infer<typeof Found>

/** Published articles that have the words of a search (`"a phrase"`, `or`, `-without`), the best first. */
export async function search(db: Db, query: string, wanted: Wanted, limit: number): Promise<readonly Found[]> {
  const asked = sql.fragment`websearch_to_tsquery('simple', ${fold(query)})`
  return await db.any(sql.type(Found)`
    with titled as materialized (
      select article_id from wiki.published as p where title_words @@ ${asked} and words @@ ${asked} and ${wantedOf(wanted)}
    ), worded as materialized (
      select article_id from wiki.published as p where words @@ ${asked} and ${wantedOf(wanted)}
    ), candidates as (
      (select article_id from titled order by article_id desc limit ${ranked})
      union (select article_id from worded order by article_id desc limit ${ranked})
    ), best as (
      select article_id, ts_rank(p.words, ${asked}, 1) as rank from candidates join wiki.published as p using (article_id)
      order by rank desc, article_id desc limit ${limit}
    )
    select ${shown}, p.text, best.rank from best join wiki.published as p using (article_id) ${joined}
    order by best.rank desc, a.id desc`)
}

/** The articles that were published last, of any organisation unless one is given. */
export async function newest(db: Db, wanted: Wanted, limit: number): Promise<readonly Shown[]> {
  return await db.any(sql.type(Shown)`
    select ${shown} from wiki.published as p ${joined} where ${wantedOf(wanted)}
    order by p.published_at desc, p.article_id desc limit ${limit}`)
}
