import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { Int4 } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as rows from '#sql/wiki/articles.ts'
import * as published from '#sql/wiki/published.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Article, bodyLimit, changeFields, nameFields, textFields } from './article-fields.ts'
import {
  BodyChangedError,
  claimSlug,
  formatEtag,
  insufficientEvidence,
  type PlainBody,
  publish,
  renderPlainBody,
  requireBasis,
  requireCurrentBasis,
  slugTaken,
  versionConflict,
  writeVersion,
} from './change-article.ts'
import { presentArticle } from './present-article.ts'
import { requireReview, reviewRequired } from './reviews.ts'
import { claimFreeSlug } from './slug.ts'

const params = z.object({ id: pathId('article') })

const etagHeader = { etag: 'Tag of the article’s current state. Send it as `If-Match` with a change' }

export const create = route({
  method: 'POST',
  path: '/articles',
  summary: 'Create a draft',
  description:
    'If `slug` is omitted, it is derived from the title. Add claims with separate requests, then publish the article.',
  scope: 'wiki:write',
  idempotent: true,
  bodyLimit,
  body: z.strictObject({
    title: textFields.title,
    summary: textFields.summary.default(''),
    body: textFields.body,
    tags: textFields.tags.default([]),
    slug: nameFields.slug.optional(),
    language: nameFields.language.default('en'),
    ...changeFields,
  }),
  status: 200,
  reply: Article,
  headers: etagHeader,
  problems: [slugTaken],
  example: { body: { title: 'The bridge', body: 'It was opened in 1932.', tags: ['bridges'] } },
  async handle({ body: { slug, language, comment, author, ...text }, org, key, db, origin, set }) {
    const id = newId()
    if (slug !== undefined) await claimSlug(db, id, slug)
    const named = { slug: slug ?? (await claimFreeSlug(db, id, text.title)), language }
    const article = await rows.insert(db, { id, org_id: org.id, ...named })
    await writeVersion(db, id, 1, text, { keyId: key.id, comment, author })
    set('etag', formatEtag(article))
    return await presentArticle(db, article, origin)
  },
})

const Change = z
  .strictObject({
    title: textFields.title.optional(),
    summary: textFields.summary.optional(),
    body: textFields.body.optional(),
    tags: textFields.tags.optional(),
    slug: nameFields.slug.optional(),
    language: nameFields.language.optional(),
    ...changeFields,
    base_version: Int4.min(1).optional().describe('Version on which the update is based'),
    status: z
      .enum(['published', 'withdrawn'])
      .optional()
      .describe('`published` publishes the newest version. `withdrawn` withdraws the article.'),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(1_000)
      .optional()
      .describe('Reason for the withdrawal. Readers can see the reason.'),
  })
  .refine(({ status, reason }) => status !== 'withdrawn' || reason !== undefined, {
    path: ['reason'],
    message: 'is required to withdraw an article',
  })
  .refine(({ status, reason }) => status === 'withdrawn' || reason === undefined, {
    path: ['reason'],
    message: 'can only be used to withdraw an article',
  })

type Change = z.output<typeof Change>

const saysText = ({ title, summary, body, tags }: Change): boolean =>
  [title, summary, body, tags].some((part) => part !== undefined)

export const update = route({
  method: 'PUT',
  path: '/articles/{id}',
  summary: 'Update, publish or withdraw an article',
  description: [
    'Fields that you omit stay unchanged. Changing the text creates a new version. Readers see the published version until',
    '`status: "published"` publishes the newest, in the same request or a later one. A change of the text or a publication must name',
    'its base: `If-Match` with the ETag that you read, or `base_version`. `If-Match: *` only requires that the article exists.',
    'Publishing needs at least one claim, and for each claim a snapshot that contains its quote.',
  ].join(' '),
  scope: 'wiki:write',
  bodyLimit,
  params,
  body: Change,
  status: 200,
  reply: Article,
  headers: etagHeader,
  problems: ['not_found', 'conflict', insufficientEvidence, versionConflict, slugTaken, reviewRequired],
  example: { body: { status: 'published', base_version: 2 } },
  async handle({ params: { id }, body, org, key, db, origin, header, set }) {
    const basis = { ifMatch: header('if-match'), baseVersion: body.base_version }
    if (!saysText(body) && body.slug === undefined && body.language === undefined && body.status === undefined) {
      throw badRequest([{ field: 'body', issue: 'must contain at least one change' }])
    }
    if (saysText(body) || body.status === 'published') requireBasis(basis)
    const tell = (shown: PlainBody | undefined) =>
      db.transaction(async (tx) => {
        const article = await mustFind(rows.lock(tx, org.id, id), 'article')
        requireCurrentBasis(article, basis)
        const after = await apply(tx, article, body, key.id, shown)
        set('etag', formatEtag(after))
        return await presentArticle(tx, after, origin)
      })
    if (body.status !== 'published') return await tell(undefined)
    for (let round = 1; ; round++) {
      try {
        return await tell(await renderPlainBody(db, org.id, id, body.body))
      } catch (error) {
        if (!(error instanceof BodyChangedError)) throw error
        if (round === rounds)
          throw versionConflict('The article changed several times during this request. Read it again.')
      }
    }
  },
})

/**
 * Maximum number of attempts to publish the newest version. An attempt fails if the article changes in the meantime.
 */
const rounds = 5

async function apply(
  tx: Db,
  article: rows.Article,
  change: Change,
  keyId: string,
  shown: PlainBody | undefined,
): Promise<rows.Article> {
  const { slug = article.slug, language = article.language, status = article.status } = change
  if (slug !== article.slug) await claimSlug(tx, article.id, slug)
  if (language !== article.language) await published.setLanguage(tx, article.id, article.language, language)
  const named = { ...article, slug, language, status }
  const before = await mustFind(versions.findByNumber(tx, article.id, article.version), 'version')
  const text = textAfter(before, change)
  const version = saysText(change) ? article.version + 1 : article.version
  if (version !== article.version) await writeVersion(tx, article.id, version, text, { ...change, keyId })
  if (change.status === 'published' && shown) {
    await requireReview(tx, { orgId: article.org_id, articleId: article.id, version, keyId })
    await publish(tx, named, text, shown)
    await emit(tx, article.org_id, 'wiki.article.published', { id: article.id, slug, language, version })
    return await rows.change(tx, { ...named, version, published_version: version, withdrawal_reason: null })
  }
  if (change.status === undefined) return await rows.change(tx, { ...named, version })
  if (article.status !== 'published') {
    throw conflict(`The article has the status ${article.status}. Only a published article can be withdrawn.`)
  }
  await published.remove(tx, article.id)
  const withdrawal_reason = change.reason ?? null
  const told = { id: article.id, slug, language, version, reason: withdrawal_reason }
  await emit(tx, article.org_id, 'wiki.article.withdrawn', told)
  return await rows.change(tx, { ...named, version, published_version: null, withdrawal_reason })
}

const textAfter = (before: versions.Text, { title, summary, body, tags }: Change): versions.Text => ({
  title: title ?? before.title,
  summary: summary ?? before.summary,
  body: body ?? before.body,
  tags: tags ?? before.tags,
})

export const remove = removeRoute({
  path: '/articles/{id}',
  summary: 'Delete a draft or a withdrawn article',
  description: 'Deletes the article with all versions and slugs. Withdraw a published article first.',
  scope: 'wiki:write',
  params,
  problems: ['conflict', versionConflict],
  what: 'article',
  remove: async ({ params: { id }, org, db, header }) => {
    const article = await mustFind(rows.lock(db, org.id, id), 'article')
    requireCurrentBasis(article, { ifMatch: header('if-match'), baseVersion: undefined })
    if (article.status === 'published') throw conflict('The article is published. Withdraw it first.')
    await rows.remove(db, id)
  },
})
