import type { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import type * as articles from '#sql/wiki/articles.ts'
import { countClaims, listUnproven } from '#sql/wiki/evidence.ts'
import { mustFind } from '../http/must-find.ts'
import { type Article, type Evidence, presentListed } from './article-fields.ts'

export async function presentEvidence(db: Db, articleId: string): Promise<z.input<typeof Evidence>> {
  const [claims, missing] = [await countClaims(db, articleId), await listUnproven(db, articleId)]
  const supported = claims - missing.length
  return {
    claims,
    supported,
    coverage: claims === 0 ? null : supported / claims,
    unproven: missing.map(({ claim_id, problem }) => ({ claim_id, problem })),
  }
}

export async function presentArticle(
  db: Db,
  article: articles.Article,
  origin: string,
): Promise<z.input<typeof Article>> {
  const text = await mustFind(versions.findByNumber(db, article.id, article.version), 'version')
  const { title, summary, tags, body } = text
  return {
    ...presentListed({ ...article, title, summary, tags }, origin),
    body,
    evidence: await presentEvidence(db, article.id),
  }
}
