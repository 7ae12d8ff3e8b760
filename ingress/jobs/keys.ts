import { z } from 'zod'
import * as rows from '#sql/work/key-uses.ts'
import { Instant } from '../http/instant.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'

const Kind = z.enum(['concurrency', 'rate'])

const Key = z
  .object({
    kind: Kind,
    key: z.string(),
    limit: z.int().describe('Latest limit of the key: jobs at the same time, or jobs per period'),
    running: z.int().describe('Jobs that have a place now. 0 for rate keys.'),
    waiting: z.int().describe(`Jobs that wait for a place, counted up to ${rows.mostCounted}. 0 for rate keys.`),
    next_start_at: Instant.nullable().describe('Time at which the next job of a rate key can start. `null`: now.'),
    used_at: Instant.describe('Time at which a job last used the key'),
  })
  .meta({ id: 'jobs.Key' })

export const list = orderedListRoute({
  path: '/keys',
  summary: 'List concurrency and rate keys',
  description:
    'Returns the keys of your jobs with their current use, by kind and name. Unused keys are deleted after 2 days.',
  scope: 'jobs:read',
  filters: rows.filters,
  query: { kind: Kind.optional() },
  item: Key,
  key: rows.Place,
  keyOf: ({ kind, key }: rows.KeyUse): rows.Place => [kind, key],
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: ({ most, paced_until, ...row }) => ({
    ...row,
    limit: most,
    next_start_at: row.kind === 'rate' && paced_until > new Date() ? paced_until : null,
  }),
})
