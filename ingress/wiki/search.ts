import { z } from 'zod'
import { queryInt } from '#lib/input-types.ts'
import { findClaims, findEntities } from '#sql/wiki/find-words.ts'
import * as references from '#sql/wiki/references.ts'
import { maxPageBytes, readFrom, writeItems } from '../http/lists/write-page.ts'
import { Presented } from '../http/presented.ts'
import { route } from '../http/route.ts'
import { Claim, presentClaim } from './claim-fields.ts'
import { EntitySummary, present as presentEntity } from './entities.ts'

/** Bytes of the items of each kind. */
const mostBytes = maxPageBytes / 2

/** `GET /v1/wiki/search` */
export const find = route({
  method: 'GET',
  path: '/search',
  summary: 'Search entities and claims',
  description:
    'Entities by their labels and aliases, claims by their property and value: whole words, `"a phrase"`, `or`, `-without`. Returns the newest first, and of each kind as many as fit into half a megabyte. Read an entity for its descriptions and aliases. Articles are searched at `GET /v1/wiki/articles?q=`.',
  scope: 'wiki:read',
  search: true,
  query: z.object({
    q: z.string().trim().min(1).max(200),
    type: z.enum(['entity', 'claim']).optional().describe('Both unless said'),
    limit: queryInt(1, 100).default(20).describe('Of each kind; there may be fewer where they are large'),
  }),
  status: 200,
  reply: z.object({ entities: z.array(EntitySummary), claims: z.array(Claim) }),
  async handle({ operation, query: { q, type, limit }, org, db }) {
    const entities = {
      ...{ operation, limit, item: EntitySummary, present: presentEntity },
      read: (last: { id: string } | undefined, count: number) =>
        findEntities(db, org.id, q, { before: last?.id, limit: count }),
    }
    const claims = {
      ...{ operation, limit, item: Claim, present: (claim: z.input<typeof Claim>) => claim },
      async read(last: { id: string } | undefined, count: number) {
        const found = await findClaims(db, org.id, q, { before: last?.id, limit: count })
        const ids = found.map(({ id }) => id)
        const cited = await references.listOf(db, ids)
        return found.map((claim) => presentClaim(claim, cited))
      },
    }
    const none = { read: readFrom<never>([]) }
    const shownEntities = await writeItems(type === 'claim' ? { ...entities, ...none } : entities, mostBytes)
    const shownClaims = await writeItems(type === 'entity' ? { ...claims, ...none } : claims, mostBytes)
    return new Presented(`{"entities":${shownEntities.json},"claims":${shownClaims.json}}`)
  },
})
