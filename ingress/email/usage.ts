import { z } from 'zod'
import * as rows from '#sql/email/usage.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'

export const read = route({
  method: 'GET',
  path: '/usage',
  summary: 'Read this month’s message count',
  description: 'Test messages and messages to suppressed addresses are not counted.',
  scope: 'email:manage',
  status: 200,
  reply: z.object({
    month: z.string().describe('Month in UTC, such as 2026-01'),
    messages: z.int(),
    cap: z.int().describe('Plan limit. Further messages return `429 monthly_limit_reached`.'),
    remaining: z.int(),
    resets_at: Instant,
  }),
  async handle({ org, db }) {
    const usage = await rows.find(db, org.id)
    return { ...usage, remaining: Math.max(0, usage.cap - usage.messages) }
  },
})
