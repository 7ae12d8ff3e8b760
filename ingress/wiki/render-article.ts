import { LRUCache } from 'lru-cache'
import type { Db } from '#sql/db.ts'
import type { Version } from '#sql/wiki/article-versions.ts'
import { listProofs, type Proof } from '#sql/wiki/evidence.ts'
import { listCitedClaims } from './markdown.ts'
import { toHtml } from './render-markdown.ts'

export interface Note {
  number: number
  claim: Proof
  proofs: readonly Proof[]
}

export interface RenderedArticle {
  html: string
  notes: readonly Note[]
}

/** Rendered articles. The key contains the version and the evidence, because the evidence of a version can change. */
const rendered = new LRUCache<string, string>({ maxSize: 32 * 1024 ** 2, sizeCalculation: (html) => html.length + 1 })

/**
 * Renders a version of an article. Its footnotes are its claims. Cited claims come first, in the order of their
 * citations.
 */
export async function renderArticle(db: Db, orgId: string, version: Version): Promise<RenderedArticle> {
  const byClaim = Map.groupBy(await listProofs(db, version.article_id), ({ claim_id }) => claim_id)
  const cited = listCitedClaims(version.body).filter((id) => byClaim.has(id))
  const order = [...new Set([...cited, ...byClaim.keys()])]
  const notes = order.map((id, i) => {
    const found = byClaim.get(id) as Proof[]
    return { number: i + 1, claim: found[0] as Proof, proofs: found }
  })
  const key = [version.id, ...order].join(' ')
  const known = rendered.get(key)
  const html = known ?? (await toHtml(orgId, version.body, new Map(order.map((id, i) => [id, i + 1]))))
  if (known === undefined) rendered.set(key, html)
  return { html, notes }
}
