import { z } from 'zod'
import { queryInt } from '#lib/input-types.ts'
import type * as rows from '#sql/wiki/entities.ts'
import { findClaims, findEntities } from '#sql/wiki/find-words.ts'
import * as references from '#sql/wiki/references.ts'
import { type ItemParts, maxPageBytes, writeItems } from '../http/lists/write-page.ts'
import { PresentedJson } from '../http/presented.ts'
import { route } from '../http/route.ts'
import { Claim, presentClaim } from './claim-fields.ts'
import { EntitySummary, present as presentEntity } from './entities.ts'

const mostBytes = maxPageBytes / 2

export const find = route({
  method: 'GET',
  path: '/search',
  summary: 'Search entities and claims',
  description:
    'Searches entities by labels and aliases, and claims by property and value. Supports whole words, `"a phrase"`, `or` and `-without`. Returns the newest first, up to half a megabyte of each kind. Read an entity for its descriptions and aliases. To search articles, use `GET /v1/wiki/articles?q=`.',
  tool: { name: 'search_wiki', outsideText: true },
  scope: 'wiki:read',
  search: true,
  query: z.object({
    q: z.string().trim().min(1).max(200),
    type: z.enum(['entity', 'claim']).optional().describe('Default: both'),
    limit: queryInt(1, 100)
      .default(20)
      .describe('Maximum number of results of each kind. With large items, fewer are returned.'),
  }),
  status: 200,
  reply: z.object({ entities: z.array(EntitySummary), claims: z.array(Claim) }),
  async handle({ operation, query: { q, type, limit }, org, db }) {
    const entities: ItemParts<rows.EntitySummary> = {
      ...{ operation, limit, item: EntitySummary, present: presentEntity },
      read: async (last, count) =>
        type === 'claim' ? [] : await findEntities(db, org.id, q, { before: last?.id, limit: count }),
    }
    const claims: ItemParts<z.input<typeof Claim>> = {
      ...{ operation, limit, item: Claim, present: (claim) => claim },
      async read(last, count) {
        if (type === 'entity') return []
        const found = await findClaims(db, org.id, q, { before: last?.id, limit: count })
        const ids = found.map(({ id }) => id)
        const cited = await references.listForClaims(db, ids)
        return found.map((claim) => presentClaim(claim, cited))
      },
    }
    const shownEntities = await writeItems(entities, mostBytes)
    const shownClaims = await writeItems(claims, mostBytes)
    return new PresentedJson(`{"entities":${shownEntities.json},"claims":${shownClaims.json}}`)
  },
})
