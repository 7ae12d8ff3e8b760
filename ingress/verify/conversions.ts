import { z } from 'zod'
import { queryInt } from '#lib/input-types.ts'
import * as rows from '#sql/verify/conversions.ts'
import { route } from '../http/route.ts'

const dayMs = 86_400_000

const Conversion = z
  .object({
    group: z.string().describe('Day, channel, country or prefix. Empty for emails in groups of phone numbers.'),
    starts: z.int(),
    approved: z.int(),
    undeliverable: z.int(),
    blocked: z.int(),
    conversion: z.number().nullable().describe('Approved share of the starts that were not blocked, 0 to 1'),
  })
  .meta({ id: 'verify.Conversion' })

const presentConversion = (row: rows.Conversion): z.input<typeof Conversion> => {
  const sent = row.starts - row.blocked
  return { ...row, conversion: sent === 0 ? null : Math.round((row.approved / sent) * 10_000) / 10_000 }
}

export const read = route({
  method: 'GET',
  path: '/conversions',
  summary: 'Read conversions by group',
  description: 'Counts the verifications of the last days and the approved share of each group. Up to 100 groups.',
  scope: 'verify:read',
  search: true,
  query: z.object({
    by: z.enum(rows.groups).default('day'),
    days: queryInt(1, 30).default(7).describe('Number of days. Default: 7.'),
  }),
  status: 200,
  reply: z.object({ groups: z.array(Conversion) }).meta({ id: 'verify.Conversions' }),
  async handle({ query: { by, days }, org, db }) {
    const found = await rows.count(db, org.id, by, new Date(Date.now() - days * dayMs))
    return { groups: found.map(presentConversion) }
  },
})
