import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as numbers from '#sql/voice/numbers.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'

const Did = z
  .object({
    id: Id,
    number: z.string().describe('E.164'),
    friendly_name: z.string(),
    country: z.string().describe('Country code in ISO 3166-1 format, two letters'),
    type: z.enum(['local', 'mobile', 'toll_free']),
    capabilities: z.object({ voice: z.boolean() }),
    status: z.enum(['active', 'suspended']),
    created_at: Instant,
  })
  .meta({ id: 'voice.Did' })

export const list = listRoute({
  path: '/dids',
  summary: 'List phone numbers',
  description:
    'Returns your organisation’s phone numbers, newest first. Operators assign numbers with `npx millrace voice add-number`.',
  scope: 'voice:read',
  testKeys: 'shared',
  item: Did,
  rows: ({ org, db }, page) => numbers.list(db, org.id, page),
  present: ({ org_id: _, ...row }) => ({ ...row, capabilities: { voice: true } }),
})
