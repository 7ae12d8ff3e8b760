import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { runBounded } from '../bounded.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { everything, isOlder, type Page, whereOf } from '../filters.ts'
import { fold } from './fold.ts'

/**
 * Number of characters of an article that are searched. A longer text might not fit in a tsvector, which holds 1 MiB.
 */
export const searchedLength = 100_000

/**
 * Maximum number of articles that a search ranks in each of two groups: the newest with the words in the title, and the
 * newest with the words anywhere. Ranking reads every word of an article, so words that are in all articles would cost
 * too much.
 */
const ranked = 200

/** Returns filters of a search as words that no text contains, because words of texts never start with a space. */
const marksOf = ({
  orgId,
  language,
  tags,
}: {
  orgId?: string
  language?: string
  tags: readonly string[]
}): string[] => [
  ...(orgId === undefined ? [] : [` org:${orgId}`]),
  ...(language === undefined ? [] : [` language:${language}`]),
  ...tags.map((tag) => ` tag:${tag}`),
]

interface SearchDocument {
  title: string
  summary: string
  tags: readonly string[]
  text: string
  language: string
}

export async function put(tx: Db, article: { id: string; org_id: string }, searched: SearchDocument): Promise<void> {
  const { title, summary, tags, text, language } = searched
  const weighed = (words: string, weight: string) =>
    sql.fragment`setweight(to_tsvector('simple', ${fold(words)}), ${weight})`
  const known = text.slice(0, searchedLength)
  const marks = sql.fragment`array_to_tsvector(${sql.array(marksOf({ orgId: article.org_id, language, tags }), 'text')})`
  await tx.query(sql.typeAlias('void')`
    insert into wiki.published (article_id, org_id, text, tags, title_words, words, published_at)
    values (${article.id}, ${article.org_id}, ${known}, ${sql.array([...tags], 'text')},
      ${marks} || to_tsvector('simple', ${fold(title)}),
      ${marks} || ${weighed(title, 'A')} || ${weighed(tags.join(' , '), 'B')} || ${weighed(summary, 'C')} || ${weighed(known, 'D')},
      now())
    on conflict (article_id) do update set text = excluded.text, tags = excluded.tags, title_words = excluded.title_words,
      words = excluded.words, published_at = excluded.published_at`)
}

export async function setLanguage(tx: Db, articleId: string, from: string, to: string): Promise<void> {
  const [before, after] = [` language:${from}`, ` language:${to}`]
  const changed = (column: 'title_words' | 'words') => {
    const words = sql.identifier([column])
    return sql.fragment`${words} = ts_delete(${words}, ${before}) || array_to_tsvector(array[${after}])`
  }
  await tx.query(sql.typeAlias('void')`
    update wiki.published set ${changed('title_words')}, ${changed('words')} where article_id = ${articleId}`)
}

export async function remove(tx: Db, articleId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from wiki.published where article_id = ${articleId}`)
}

const PublishedArticle = z.object({
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

export type PublishedArticle = z.infer<typeof PublishedArticle>

const shown = sql.fragment`a.id, a.slug, a.language, v.number as version, v.title, v.summary, v.tags, a.first_published_at, p.published_at`

const joined = sql.fragment`
  join wiki.articles as a on a.id = p.article_id
  join wiki.article_versions as v on v.article_id = a.id and v.number = a.published_version`

interface ArticleFilter {
  orgId: string | null
  tag: string | undefined
  language: string | undefined
}

export const filters = {
  tag: (tag: string) => sql.fragment`p.tags @> array[${tag}::text]`,
  language: (language: string) => sql.fragment`
    exists (select from wiki.articles as l where l.id = p.article_id and l.org_id = p.org_id and l.language = ${language})`,
}

const ofOrg = (orgId: string | null) =>
  sql.fragment`${isOpen('p')} and ${orgId === null ? everything : sql.fragment`p.org_id = ${orgId}`}`

/** Lists published articles, of all organisations if `orgId` is `null`. */
export async function list(
  db: Db,
  orgId: string | null,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly PublishedArticle[]> {
  return await db.any(sql.type(PublishedArticle)`
    select ${shown} from wiki.published as p ${joined}
    where ${ofOrg(orgId)} and ${where} and ${isOlder(before, ['p', 'article_id'])}
    order by p.article_id desc limit ${limit}`)
}

/** Returns the published articles among these of one organisation that match a filter, in any order. */
export async function findByIds(
  db: Db,
  ids: readonly string[],
  { orgId, tag, language }: ArticleFilter,
): Promise<readonly PublishedArticle[]> {
  return await db.any(sql.type(PublishedArticle)`
    select ${shown} from wiki.published as p ${joined}
    where p.article_id = any (${sql.array([...ids], 'uuid')}) and ${ofOrg(orgId)} and ${whereOf(filters, { tag, language })}`)
}

const ArticleMatch = PublishedArticle.extend({ text: z.string(), rank: z.number() })

export type ArticleMatch = z.infer<typeof ArticleMatch>

/** Added to an article's rank (below 1) if a word in the title or the slug starts with the query. */
const prefixRank = 0.1

/** Returns the words as prefixes for titles. Returns `null` for a query with operators or without two letters. */
function beginnings(query: string): { words: string; slugs: string[] } | null {
  if (/"|(?:^|\s)-|\sor\s/i.test(query)) return null
  const words = fold(query).match(/[\p{L}\p{N}]+/gu) ?? []
  if (!words.some((word) => word.length > 1)) return null
  const slugs = [words.join('-'), query.trim().toLowerCase().normalize().replace(/\s+/g, '-')]
  return { words: words.map((word) => `'${word}':*`).join(' & '), slugs: [...new Set(slugs)] }
}

/**
 * Searches published articles of one or all organisations (`"a phrase"`, `or`, `-without`). Within one organisation,
 * also matches the start of words in titles and slugs. Best first. Throws `TooBroadError`.
 */
export async function search(
  db: DatabasePool,
  query: string,
  { orgId, tag, language }: ArticleFilter,
  limit: number,
): Promise<readonly ArticleMatch[]> {
  const queryOf = (words: string) => sql.fragment`websearch_to_tsquery('simple', ${fold(words)})`
  const asked = queryOf(query)
  // Indexes do not store the order of words. For a phrase, they return all rows that have its words.
  const loose = queryOf(query.replace(/(?<!\S)-"[^"]*"?/g, ' ').replaceAll('"', ' '))
  const marks = marksOf({
    ...(orgId !== null && { orgId }),
    ...(language !== undefined && { language }),
    tags: tag === undefined ? [] : [tag],
  })
  const narrowed = marks.map((mark) => `'${mark.replace(/[\\']/g, '$&$&')}'`).join(' & ')
  // Slugs are scanned by organisation.
  const begun = orgId === null ? null : beginnings(query)
  const beginning = begun
    ? sql.fragment`
      union all
      select c.id, ${prefixRank}::float from wiki.newest_beginning(
        ${begun.words}::tsquery && ${narrowed}::tsquery, ${narrowed}::tsquery, ${orgId}, ${sql.array(begun.slugs, 'text')}, ${ranked}) as c (id)`
    : sql.fragment``
  return await runBounded(db, (tx) =>
    tx.any(sql.type(ArticleMatch)`
    with best as materialized (
      select c.id as article_id, ts_rank(p.words, ${asked}, 1)::float as rank
      from wiki.newest_matching(${loose} && ${narrowed === '' ? loose : sql.fragment`${narrowed}::tsquery`}, ${ranked}) as c (id)
      -- With OFFSET, each row is looked up. A join would unpack the words of all articles.
      cross join lateral (select words from wiki.published where article_id = c.id offset 0) as p
      where numnode(${loose}) > 0 and p.words @@ ${asked}
      ${beginning}
    ), first as materialized (
      select article_id, sum(rank)::float as rank from best group by article_id order by 2 desc, 1 desc limit ${limit}
    )
    select ${shown}, p.text, first.rank from first join wiki.published as p using (article_id) ${joined}
    where ${isOpen('p')}
    order by first.rank desc, a.id desc`),
  )
}

export async function newest(
  db: Db,
  orgId: string | null,
  tag: string | undefined,
  limit: number,
): Promise<readonly PublishedArticle[]> {
  return await db.any(sql.type(PublishedArticle)`
    select ${shown} from wiki.published as p ${joined} where ${ofOrg(orgId)} and ${whereOf(filters, { tag })}
    order by p.published_at desc, p.article_id desc limit ${limit}`)
}
