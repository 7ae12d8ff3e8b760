import { z } from 'zod'
import * as rows from '#sql/email/usage.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'

/** Messages of this month, of how many. */
export const read = route({
  method: 'GET',
  path: '/usage',
  summary: 'Messages this month against the plan’s cap',
  description: 'Sandbox messages and those to suppressed addresses are not counted.',
  scope: 'email:manage',
  status: 200,
  reply: z.object({
    month: z.string().describe('In UTC, such as 2026-01'),
    messages: z.int(),
    cap: z.int().describe('Of the plan; the next message is refused with 429 `monthly_limit_reached`'),
    remaining: z.int(),
    resets_at: Instant,
  }),
  async handle({ org, db }) {
    const usage = await rows.find(db, org.id)
    return { ...usage, remaining: Math.max(0, usage.cap - usage.messages) }
  },
})
