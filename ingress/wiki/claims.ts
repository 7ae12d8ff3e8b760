import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as rows from '#sql/wiki/claims.ts'
import * as references from '#sql/wiki/references.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { resolveReferences } from './cite.ts'
import {
  ArticleIds,
  Claim,
  Property,
  presentClaim,
  Qualifiers,
  ReferenceForm,
  References,
  Value,
} from './claim-fields.ts'
import { keepProven, wouldUnprove } from './keep-proven.ts'

const params = z.object({ id: pathId('claim') })
const reason = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .optional()
  .describe('Reason for the deprecation. Only for deprecated claims.')

const reasoned = <
  Form extends { rank?: z.output<typeof rows.Rank> | undefined; deprecation_reason?: string | undefined },
>(
  form: Form,
  context: z.core.$RefinementCtx<Form>,
): void => {
  const isDeprecated = form.rank === 'deprecated'
  if (isDeprecated === (form.deprecation_reason !== undefined)) return
  const message = isDeprecated ? 'is required for a deprecated claim' : 'can only be used for deprecated claims'
  context.addIssue({ code: 'custom', path: ['deprecation_reason'], message })
}

const shown = async (db: Db, orgId: string, id: string): Promise<z.input<typeof Claim>> => {
  const claim = await mustFind(rows.find(db, orgId, id), 'claim')
  return presentClaim(claim, await references.listForClaims(db, [id]))
}

export const create = route({
  method: 'POST',
  path: '/claims',
  summary: 'Add a claim to an entity',
  description:
    'The quote is searched for in its snapshot immediately, or when the snapshot is captured. `quote_verified` shows the result. An article can be published only if each claim has a verified quote.',
  scope: 'wiki:write',
  idempotent: true,
  body: z
    .strictObject({
      entity_id: Id,
      property: Property,
      value: Value,
      qualifiers: Qualifiers.default([]),
      rank: rows.Rank.default('normal'),
      deprecation_reason: reason,
      references: References.default([]),
      article_ids: ArticleIds.default([]).describe('Articles that make the claim'),
    })
    .superRefine(reasoned),
  status: 200,
  reply: Claim,
  problems: ['conflict', wouldUnprove],
  async handle({ body, org, db }) {
    const given = body.references.map((given, i) => ({ field: `body.references.${i}`, given }))
    const cited = await resolveReferences(db, org.id, { ...body, references: given })
    const id = newId()
    const { entity_id, property, value, qualifiers, rank, deprecation_reason = null } = body
    await keepProven(db, { claimIds: [id], articleIds: body.article_ids }, async () => {
      await rows.insert(db, { id, org_id: org.id, entity_id, property, value, qualifiers, rank, deprecation_reason })
      await references.add(
        db,
        cited.map((one) => ({ ...one, claim_id: id })),
      )
      await rows.setArticles(db, id, body.article_ids)
    })
    return await shown(db, org.id, id)
  },
})

export const list = listRoute({
  path: '/claims',
  summary: 'List claims, newest first',
  description: 'Returns claims with their references. Filters select an entity, an article, a property or a rank.',
  scope: 'wiki:read',
  reads: 'replica',
  filters: rows.filters,
  query: {
    entity_id: Id.optional(),
    article_id: Id.optional(),
    property: Property.optional(),
    rank: z
      .enum([...rows.Rank.options, 'best'])
      .optional()
      .describe('`best`: the preferred claims of each property or, if there are none, the normal claims'),
  },
  item: Claim,
  async rows({ org, db }, page) {
    const found = await rows.list(db, org.id, page)
    const ids = found.map(({ id }) => id)
    const cited = await references.listForClaims(db, ids)
    return found.map((claim) => ({ id: claim.id, claim, cited }))
  },
  present: ({ claim, cited }) => presentClaim(claim, cited),
})

export const read = route({
  method: 'GET',
  path: '/claims/{id}',
  summary: 'Read a claim and its references',
  description: 'Returns the claim with its value, qualifiers and references.',
  scope: 'wiki:read',
  params,
  status: 200,
  reply: Claim,
  problems: ['not_found'],
  handle: ({ params, org, db }) => shown(db, org.id, params.id),
})

export const update = route({
  method: 'PATCH',
  path: '/claims/{id}',
  summary: 'Update the rank or articles of a claim',
  description:
    'The statement of a claim cannot be changed. Instead, deprecate the claim and create a new one. `article_ids` replaces the whole list. A change that would leave a published article without proof is rejected.',
  scope: 'wiki:write',
  params,
  body: z
    .strictObject({ rank: rows.Rank.optional(), deprecation_reason: reason, article_ids: ArticleIds.optional() })
    .superRefine(reasoned),
  status: 200,
  reply: Claim,
  problems: ['not_found', 'conflict', wouldUnprove],
  handle: ({ params, body, org, db }) =>
    onClaim(db, org.id, params.id, async (tx) => {
      await resolveReferences(tx, org.id, { article_ids: body.article_ids })
      await keepProven(tx, { claimIds: [params.id], articleIds: body.article_ids }, async () => {
        if (body.rank) await rows.setRank(tx, params.id, body.rank, body.deprecation_reason ?? null)
        if (body.article_ids) await rows.setArticles(tx, params.id, body.article_ids)
      })
    }),
})

export const addReference = route({
  method: 'POST',
  path: '/claims/{id}/references',
  summary: 'Add a reference to a claim',
  description: 'Links the claim to a source. `quote` must appear in the text of the snapshot.',
  scope: 'wiki:write',
  params,
  body: ReferenceForm,
  status: 200,
  reply: Claim,
  problems: ['not_found'],
  handle: ({ params, body, org, db }) =>
    onClaim(db, org.id, params.id, async (tx, value) => {
      const cited = await resolveReferences(tx, org.id, { value, references: [{ field: 'body', given: body }] })
      await references.add(
        tx,
        cited.map((one) => ({ ...one, claim_id: params.id })),
      )
    }),
})

async function onClaim(
  db: DatabasePool,
  orgId: string,
  id: string,
  work: (tx: Db, value: z.output<typeof Value>) => Promise<void>,
) {
  return await db.transaction(async (tx) => {
    await work(tx, (await mustFind(rows.lock(tx, orgId, id), 'claim')) as z.output<typeof Value>)
    return await shown(tx, orgId, id)
  })
}
