import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/directory.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { PublicBot, presentPublic } from './present.ts'

export const list = orderedListRoute({
  path: '/directory',
  summary: 'List published bots',
  description:
    '`popular` sorts by the number of conversations in the last 30 days, updated hourly. `recent` sorts by the time of publication, newest first.',
  scope: 'bots:read',
  testKeys: 'shared',
  locks: [],
  search: true,
  filters: rows.filters,
  otherParams: ['sort'],
  query: {
    q: z.string().trim().max(200).optional().describe('Search text: part of the name, tagline or description'),
    category: z.string().max(40).optional(),
    language: z.string().max(35).optional(),
    sort: rows.Sort.default('popular'),
  },
  item: PublicBot,
  key: z.tuple([z.int(), Id]),
  keyOf: ({ place, id }: rows.DirectoryEntry): rows.Place => [place, id],
  rows: ({ query: { sort }, db }, page) => rows.list(db, { ...page, sort }),
  present: (bot) => presentPublic(bot),
})
