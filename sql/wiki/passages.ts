import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { runBounded } from '../bounded.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { type Found, find } from '../knowledge/find.ts'
import { save } from '../knowledge/sources.ts'
import type { Embedded } from '../knowledge/vectors.ts'
import * as published from './published.ts'

/** An article as it is searched for passages. The collection is the organisation. */
interface SearchedArticle {
  id: string
  org_id: string
  title: string
  summary: string
  text: string
}

/** Stores the passages of a published article. The caller must hold the lock on the article. */
export async function put(tx: Db, { id, org_id, title, summary, text }: SearchedArticle): Promise<void> {
  await save(tx, { id, org_id, collection_id: org_id, title, url: null, text: textOf(summary, text) })
}

const textOf = (summary: string, text: string): string =>
  (summary === '' ? text : `${summary}\n\n${text}`).slice(0, published.searchedLength)

const Missing = z.object({ id: Id, org_id: Id, title: z.string(), summary: z.string(), text: z.string() })

/** Stores passages of articles that an earlier release published. Returns their number. */
export async function createMissing(db: Db, limit: number): Promise<number> {
  return await db.transaction(async (tx) => {
    const missing = await tx.any(sql.type(Missing)`
      select a.id, a.org_id, v.title, v.summary, p.text
      from wiki.published as p join wiki.articles as a on a.id = p.article_id
      join wiki.article_versions as v on v.article_id = a.id and v.number = a.published_version
      where not exists (select from knowledge.sources as s where s.id = p.article_id)
      limit ${limit} for no key update of p, a skip locked`)
    for (const article of missing) await put(tx, article)
    return missing.length
  })
}

export interface PassageMatch extends published.PublishedArticle {
  passage: string
  likeness: number | null
}

interface Wanted {
  orgId: string
  question: string
  embedded: Embedded | undefined
  tag: string | undefined
  language: string | undefined
}

/** Minimum share of the question’s words, and minimum likeness of a sentence. Other passages are left out (measured). */
const [leastShare, leastLikeness] = [0.5, 0.35]

/** True if a passage fits a question. Likeness by vectors of whole passages depends on the model, so each fits. */
const isRelevant = ({ share, likeness, sentences }: Found): boolean =>
  share >= leastShare || (likeness !== null && (sentences.length === 0 || likeness >= leastLikeness))

/** Number of passages that are read. Several can be of one article. */
const read = 100

/**
 * Returns the published articles of an organisation with the passages that best match a question, best first, one
 * passage per article. Throws `TooBroadError`.
 */
export async function search(
  db: DatabasePool,
  { orgId, question, embedded, tag, language }: Wanted,
  limit: number,
): Promise<readonly PassageMatch[]> {
  return await runBounded(db, async (tx) => {
    const found = await find(tx, { collectionId: orgId, question, embedded, most: read })
    const best = new Map<string, Found>()
    for (const one of found.filter(isRelevant)) if (!best.has(one.source_id)) best.set(one.source_id, one)
    const articles = await published.findByIds(tx, [...best.keys()], { orgId, tag, language })
    const byId = new Map(articles.map((article) => [article.id, article]))
    const matches = [...best].flatMap(
      ([
        id,
        {
          text,
          sentences: [sentence],
          likeness,
        },
      ]): PassageMatch[] => {
        const article = byId.get(id)
        const passage = sentence ? text.slice(sentence.start, sentence.end) : text
        return article ? [{ ...article, passage: passage.trim(), likeness }] : []
      },
    )
    return matches.slice(0, limit)
  })
}
