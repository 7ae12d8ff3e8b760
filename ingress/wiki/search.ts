import { z } from 'zod'
import { queryInt } from '#lib/input-types.ts'
import { findClaims, findEntities } from '#sql/wiki/find-words.ts'
import * as references from '#sql/wiki/references.ts'
import { route } from '../http/route.ts'
import { Claim, presentClaim } from './claim-fields.ts'
import { Entity, present as presentEntity } from './entities.ts'

/** `GET /v1/wiki/search` */
export const find = route({
  method: 'GET',
  path: '/search',
  summary: 'Search entities and claims',
  description:
    'Entities by their labels and aliases, claims by their property and value: whole words, `"a phrase"`, `or`, `-without`. Articles are searched at `GET /v1/wiki/articles?q=`.',
  scope: 'wiki:read',
  search: true,
  query: z.object({
    q: z.string().trim().min(1).max(200),
    type: z.enum(['entity', 'claim']).optional().describe('Both unless said'),
    limit: queryInt(1, 100).default(20).describe('Of each kind'),
  }),
  status: 200,
  reply: z.object({ entities: z.array(Entity), claims: z.array(Claim) }),
  async handle({ query: { q, type, limit }, org, db }) {
    const entities = type === 'claim' ? [] : await findEntities(db, org.id, q, limit)
    const claims = type === 'entity' ? [] : await findClaims(db, org.id, q, limit)
    const cited = await references.listOf(
      db,
      claims.map(({ id }) => id),
    )
    return { entities: entities.map(presentEntity), claims: claims.map((claim) => presentClaim(claim, cited)) }
  },
})
