import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Int4, queryInt } from '#lib/input-types.ts'
import * as rows from '#sql/bots/directory.ts'
import { route } from '../http/route.ts'
import { cursorOf, placeIn } from './cursor.ts'
import { PublicBot, presentPublic } from './present.ts'

const Place = z.tuple([rows.Sort, Int4, Id])

/** Published bots of all organisations. */
export const list = route({
  method: 'GET',
  path: '/directory',
  summary: 'List published bots',
  description:
    '`popular`: by the conversations of the last 30 days, counted by the hour; `recent`: last published first.',
  scope: 'bots:read',
  query: z.object({
    q: z.string().trim().max(200).optional().describe('Part of the name, tagline or description'),
    category: z.string().max(40).optional(),
    language: z.string().max(35).optional(),
    sort: rows.Sort.default('popular'),
    limit: queryInt(1, 100).default(20).describe('Items on a page'),
    cursor: z.string().max(200).optional().describe('`next_cursor` of the page before, of the same `sort`'),
  }),
  status: 200,
  reply: z.object({ data: z.array(PublicBot), next_cursor: z.string().nullable() }),
  async handle({ query: { q, cursor, limit, ...wanted }, db }) {
    const place = placeIn(
      Place.refine(([sort]) => sort === wanted.sort),
      cursor,
    )
    const after = place && { place: place[1], id: place[2] }
    const found = await rows.list(db, { ...wanted, q: q || undefined, after, limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return {
      data: shown.map(presentPublic),
      next_cursor: last ? cursorOf([wanted.sort, last.place, last.id]) : null,
    }
  },
})
