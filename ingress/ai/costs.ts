import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/ai/costs.ts'
import { route } from '../http/route.ts'
import { costFields, presentCost } from './cost-fields.ts'

/** Maximum number of sums of a response. */
const most = 1_000

const mostDays = 400

const Day = z.iso.date().refine((day) => day >= '2000-01-01', 'must be on or after 2000-01-01')

export const list = route({
  method: 'GET',
  path: '/costs',
  beyondContract: true,
  summary: 'List the cost of AI requests',
  description:
    'Returns sums by currency and group, highest cost first, up to 1,000. Days are in order. A cost never changes when a price changes.',
  scope: 'account:read',
  query: z.object({
    by: z.enum(rows.groups).default('model').describe('Group. `none` returns one sum per currency. Default: `model`.'),
    from: Day.optional().describe('First day in UTC. Default: first day of this month.'),
    to: Day.optional().describe('Last day in UTC. Default: today.'),
    key_id: Id.optional().describe('Only requests with this API key'),
  }),
  status: 200,
  reply: z
    .object({
      by: z.enum(rows.groups),
      data: z.array(
        z.object({
          name: z
            .string()
            .nullable()
            .describe('Model, key ID, day or operation. `null` for work without a key, and for `none`.'),
          ...costFields,
        }),
      ),
    })
    .meta({ id: 'ai.Costs' }),
  async handle({ org, db, query: { by, from, to, key_id } }) {
    if (from !== undefined && to !== undefined) {
      const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
      const fault = (issue: string) => badRequest([{ field: 'query.from', issue }])
      if (days < 0) throw fault('must not be after `to`')
      if (days >= mostDays) throw fault(`must be less than ${mostDays} days before \`to\``)
    }
    const found = await rows.sum(db, org.id, { by, from, to, keyId: key_id, limit: most })
    return { by, data: found.map((sum) => ({ name: sum.name, ...presentCost(sum) })) }
  },
})
