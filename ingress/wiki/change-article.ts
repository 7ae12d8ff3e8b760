import { createHash } from 'node:crypto'
import { badRequest } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as articles from '#sql/wiki/articles.ts'
import { countClaims, listProofs, listUnproven } from '#sql/wiki/evidence.ts'
import * as passages from '#sql/wiki/passages.ts'
import * as pictures from '#sql/wiki/pictures.ts'
import * as published from '#sql/wiki/published.ts'
import { problem } from '../http/problem-kinds.ts'
import { listCitedClaims, type Plain } from './markdown.ts'
import { toPlain } from './render-markdown.ts'

export const insufficientEvidence = problem(
  400,
  'insufficient_evidence',
  'The article makes no claim, or a claim is not proven. `details` lists each claim.',
)

export const versionConflict = problem(
  409,
  'version_conflict',
  'The article changed after you read it. Read it again, merge your change and retry.',
)

export const slugTaken = problem(
  409,
  'slug_taken',
  'Another article uses, or has used, this slug. Choose another slug.',
)

export interface Authorship {
  keyId: string
  comment?: string | undefined
  author?: string | undefined
  restoredFrom?: number | undefined
}

export async function writeVersion(
  tx: Db,
  articleId: string,
  number: number,
  text: versions.Text,
  { keyId, comment, author, restoredFrom }: Authorship,
): Promise<versions.Version> {
  const bytes = Buffer.from(text.body)
  return await versions.insert(tx, {
    id: newId(),
    article_id: articleId,
    number,
    key_id: keyId,
    title: text.title,
    summary: text.summary,
    body: text.body,
    tags: text.tags,
    comment: comment ?? null,
    author: author ?? null,
    restored_from: restoredFrom ?? null,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
}

/** State on which a change is based: the ETag, or the number of the newest version at that time. */
export interface Basis {
  ifMatch: string | undefined
  baseVersion: number | undefined
}

/** Throws 409 unless the locked article is still in the state on which a change is based. */
export function requireCurrentBasis(article: articles.Article, { ifMatch, baseVersion }: Basis): void {
  const tags = ifMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  const matches = tags === undefined || tags.includes('*') || tags.includes(formatEtag(article))
  if (matches && (baseVersion === undefined || baseVersion === article.version)) return
  const { version, revision } = article
  throw versionConflict('The article changed after you read it. Read it again, merge your change and retry.', {
    version,
    revision,
  })
}

/** Throws 400 if a change of the text or a publication does not name the state on which it is based. */
export function requireBasis({ ifMatch, baseVersion }: Basis): void {
  if (ifMatch !== undefined || baseVersion !== undefined) return
  throw badRequest([{ field: 'body.base_version', issue: 'is required if the `If-Match` header is missing' }])
}

/** Returns the entity tag of an article's state (RFC 9110 §8.8.3). */
export const formatEtag = ({ revision }: Pick<articles.Article, 'revision'>): string => `"${revision}"`

export interface PlainBody {
  body: string
  plain: Plain
}

/** Thrown if the body of the article changed after its plain text was created. */
export class BodyChangedError extends Error {
  override name = 'BodyChangedError'
}

/**
 * Returns the plain text of a body for `publish`. Call it before the transaction, because it may wait for a thread.
 * Without a body, it uses the newest version.
 */
export async function renderPlainBody(db: Db, orgId: string, articleId: string, given?: string): Promise<PlainBody> {
  const body = given ?? (await versions.newestBody(db, orgId, articleId)) ?? ''
  return { body, plain: await toPlain(orgId, body) }
}

/**
 * Publishes the newest version of a locked article. Throws 400 unless every claim is proven. Throws `BodyChangedError`
 * if the plain text was created from a different body.
 */
export async function publish(
  tx: Db,
  article: articles.Article,
  text: versions.Text,
  { body, plain }: PlainBody,
): Promise<void> {
  if (body !== text.body) throw new BodyChangedError('The text of the article changed during publication.')
  const [claims, missing] = [await countClaims(tx, article.id), await listUnproven(tx, article.id)]
  if (claims === 0) {
    throw insufficientEvidence('The article makes no claim. Attach claims with references first.', { claims: [] })
  }
  if (missing.length > 0) {
    const named = missing.map(({ claim_id, problem }) => `${claim_id} (${problem})`).join(', ')
    throw insufficientEvidence(`These claims of the article are not proven: ${named}.`, { claims: missing })
  }
  const known = new Set((await listProofs(tx, article.id)).map(({ claim_id }) => claim_id))
  const strange = listCitedClaims(text.body).filter((id) => !known.has(id))
  if (strange.length > 0) {
    const claims = strange.map((claim_id) => ({ claim_id, problem: 'not_a_claim_of_the_article' }))
    throw insufficientEvidence(`The text cites IDs that are not claims of this article: ${strange.join(', ')}.`, {
      claims,
    })
  }
  const shown = plain.pictures
  const lacking = await pictures.listInvalid(tx, article.org_id, shown)
  if (lacking.length > 0 || shown.length > mostPictures) throw badPictures(lacking)
  await pictures.replaceForArticle(tx, article.id, shown)
  await published.put(tx, article, { ...text, text: plain.text, language: article.language })
  await passages.put(tx, { ...article, title: text.title, summary: text.summary, text: plain.text })
}

const mostPictures = 200

const badPictures = (lacking: readonly string[]) =>
  badRequest([
    {
      field: 'body.body',
      issue:
        lacking.length > 0
          ? `contains images that are not clean images in your files: ${lacking.slice(0, 5).join(', ')}`
          : `contains more than ${mostPictures} images`,
    },
  ])

/** Throws 409 if another article has the slug or had it before. */
export async function claimSlug(tx: Db, articleId: string, slug: string): Promise<void> {
  if (!(await articles.takeSlug(tx, articleId, slug)))
    throw slugTaken(`Another article uses, or has used, the slug ${slug}. Choose another slug.`)
}
