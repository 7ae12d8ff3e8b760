import { z } from 'zod'
import * as reputation from '#sql/email/reputation.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'

const Level = z.object({ warn: z.number(), pause: z.number() })

/** Whether marketing is paused, and how near it is to that. */
export const read = route({
  method: 'GET',
  path: '/status',
  summary: 'Whether marketing is paused, and the rates that decide it',
  description:
    'Marketing is paused above the thresholds, once there is enough to judge by. It stays paused until an operator resumes it; rates count ' +
    'from the next day (UTC) on then. Transactional and security mail is never paused.',
  scope: 'email:manage',
  status: 200,
  reply: z.object({
    marketing: z.enum(['active', 'paused']),
    marketing_paused: z.boolean(),
    reason: z.string().nullable().describe('Why it is paused, or its sender is warned'),
    paused_at: Instant.nullable(),
    warned_at: Instant.nullable(),
    window_days: z.int().describe('Days over which rates are taken, today included'),
    counted_from: z.iso.date().nullable().describe('Earlier days count no more: an operator has resumed marketing'),
    delivered: z.int(),
    taken: z.int().describe('Delivered, or taken by a smarthost; less what bounced later'),
    hard_bounced: z.int(),
    complained: z.int(),
    bounce_rate: z.number().describe('Hard bounces among what was taken or bounced so'),
    complaint_rate: z.number().describe('Complaints about what was taken'),
    thresholds: z
      .object({ bounce: Level, complaint: Level })
      .describe('Rates above which its sender is warned, and paused'),
    samples: z
      .object({
        bounce: z.object({ tried: z.int(), hard: z.int() }),
        complaint: z.object({ delivered: z.int(), complaints: z.int() }),
      })
      .describe('With fewer, a rate says nothing'),
    resumption: z.string(),
  }),
  async handle({ org, db }) {
    const { thresholds, samples } = reputation
    const now = await reputation.find(db, org.id)
    return {
      ...now,
      marketing_paused: now.marketing === 'paused',
      window_days: reputation.windowDays,
      thresholds,
      samples,
      resumption: 'By an operator only; rates count from the next day (UTC) on then.',
    }
  },
})
