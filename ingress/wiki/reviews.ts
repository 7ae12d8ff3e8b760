import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as articles from '#sql/wiki/articles.ts'
import { evidenceHash } from '#sql/wiki/evidence.ts'
import * as rows from '#sql/wiki/reviews.ts'
import { actorOfCall } from '../http/acting.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

export const reviewRequired = problem(
  409,
  'review_required',
  'Another key must publish or approve this version, because the organisation requires reviews.',
)

const ownVersion = problem(409, 'own_version', 'This key wrote the version. Use another key to review it.')

/** Throws 409 if the organisation requires reviews, and the version was rejected or only its author has approved it. */
export async function requireReview(
  tx: Db,
  { orgId, articleId, version, keyId }: { orgId: string; articleId: string; version: number; keyId: string },
): Promise<void> {
  if ((await rows.getReviewSetting(tx, orgId)) === 'none') return
  const written = await mustFind(versions.findByNumber(tx, articleId, version), 'version')
  const words = await rows.listLastDecisions(tx, articleId, version)
  const rejected = words.find(({ decision }) => decision === 'rejected')
  if (rejected) {
    throw reviewRequired('A reviewer rejected this version. Create a new version.', {
      version,
      review_id: rejected.id,
      comment: rejected.comment,
    })
  }
  if (written.key_id !== keyId) return
  const approvals = words.filter(({ decision, key_id }) => decision === 'approved' && key_id !== written.key_id)
  const evidence = await evidenceHash(tx, articleId)
  if (approvals.some((one) => one.evidence === null || one.evidence === evidence)) return
  if (approvals.length > 0) {
    throw reviewRequired('The claims or references changed after the approval. Request a new approval.', { version })
  }
  throw reviewRequired('This key wrote the version. Another key must publish or approve it.', {
    version,
  })
}

const Settings = z
  .object({
    review: z
      .enum(['none', 'required'])
      .describe('`required`: an API key other than the author’s must publish or approve a version'),
  })
  .meta({ id: 'wiki.Settings' })

export const settings = route({
  method: 'GET',
  path: '/admin/settings',
  summary: 'Read the review setting',
  description: 'Returns whether a second person must approve a version before it is published.',
  scope: 'wiki:write',
  status: 200,
  reply: Settings,
  handle: async ({ org, db }) => ({ review: await rows.getReviewSetting(db, org.id) }),
})

export const setSettings = route({
  method: 'PUT',
  path: '/admin/settings',
  summary: 'Update the review setting',
  description:
    'Applies to the next publication. Published articles stay published. The setting belongs to the organisation, so the key also needs the `account:write` scope. The change is recorded in the audit log.',
  scope: ['wiki:write', 'account:write'],
  body: z.strictObject({ review: Settings.shape.review }),
  status: 200,
  reply: Settings,
  example: { body: { review: 'required' } },
  async handle({ body: { review }, org, actor, requestId, ip, db }) {
    await db.transaction(async (tx) => {
      const before = await rows.setReview(tx, org.id, review)
      if (before === review) return
      const act = { action: 'wiki_settings.updated', target: org.id, before: { review: before }, after: { review } }
      await audit.append(tx, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
    })
    return { review }
  },
})

const Review = z
  .object({
    id: Id,
    article_id: Id,
    version: z.int(),
    decision: z.enum(['approved', 'rejected']),
    comment: z.string().nullable(),
    reviewer: z.string().nullable().describe('Your name for the reviewer'),
    key_id: Id.describe('API key that reviewed the version'),
    created_at: Instant,
  })
  .meta({ id: 'wiki.Review' })

const params = z.object({ id: pathId('article'), versionId: pathId('version') })

const findVersion = async (db: Db, orgId: string, { id, versionId }: z.output<typeof params>) => {
  await mustFind(articles.find(db, orgId, id), 'article')
  return await mustFind(versions.find(db, id, versionId), 'version')
}

export const create = route({
  method: 'POST',
  path: '/admin/articles/{id}/versions/{versionId}/reviews',
  summary: 'Approve or reject an article version',
  description:
    'The last decision of each key counts. If reviews are required, a version that any key rejects cannot be published. An approval covers the text with its current claims and references. If the claims or references change, a new approval is required.',
  scope: 'wiki:write',
  params,
  body: z.strictObject({
    decision: Review.shape.decision,
    comment: z.string().trim().min(1).max(4_000).optional(),
    reviewer: z.string().trim().min(1).max(200).optional().describe('Your name for the reviewer'),
  }),
  status: 201,
  reply: Review,
  problems: ['not_found', ownVersion],
  example: { body: { decision: 'approved', reviewer: 'Ann' } },
  async handle({ params, body: { decision, comment = null, reviewer = null }, org, key, db }) {
    const { number, key_id } = await findVersion(db, org.id, params)
    if (key_id === key.id) throw ownVersion(ownVersion.when)
    const evidence = await evidenceHash(db, params.id)
    const review = { article_id: params.id, version: number, key_id: key.id, decision, comment, reviewer, evidence }
    return await rows.insert(db, { id: newId(), ...review })
  },
})

export const list = listRoute({
  path: '/admin/articles/{id}/versions/{versionId}/reviews',
  summary: 'List version reviews, newest first',
  description: 'Returns each decision with its reviewer and comment.',
  scope: 'wiki:write',
  params,
  problems: ['not_found'],
  item: Review,
  async rows({ params, org, db }, page) {
    const { number } = await findVersion(db, org.id, params)
    return await rows.list(db, params.id, number, page)
  },
  present: (row) => row,
})
