import { z } from 'zod'
import * as reputation from '#sql/email/delivery/reputation.ts'
import { findPoolState } from '#tasks/email/rules/ip-pool-state.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'

const Level = z.object({ warn: z.number(), pause: z.number() })

export const read = route({
  method: 'GET',
  path: '/status',
  summary: 'Read the reputation status',
  description:
    'Marketing is paused if enough messages were sent and a rate is above its threshold. Marketing stays paused until an operator resumes it. Rates then count from the next day (UTC). Transactional and security messages are never paused.',
  scope: 'email:manage',
  status: 200,
  reply: z.object({
    marketing: z.enum(['active', 'paused']),
    marketing_paused: z.boolean(),
    reason: z.string().nullable().describe('Reason for the pause or the warning'),
    paused_at: Instant.nullable(),
    warned_at: Instant.nullable(),
    window_days: z.int().describe('Number of days that the rates cover, including today'),
    counted_from: z.iso.date().nullable().describe('First day that is counted, after an operator resumed marketing'),
    delivered: z.int(),
    taken: z.int().describe('Messages delivered, or accepted by a smarthost, without messages that bounced later'),
    hard_bounced: z.int(),
    complained: z.int(),
    bounce_rate: z.number().describe('Hard bounces as a share of `taken` plus hard bounces'),
    complaint_rate: z.number().describe('Complaints as a share of `taken`'),
    thresholds: z
      .object({ bounce: Level, complaint: Level })
      .describe('Rates above which a warning is sent and marketing is paused'),
    samples: z
      .object({
        bounce: z.object({ tried: z.int(), hard: z.int() }),
        complaint: z.object({ delivered: z.int(), complaints: z.int() }),
      })
      .describe('Minimum numbers of messages. Below them, a rate has no effect.'),
    resumption: z.string(),
    ip_pool: z
      .object({
        name: z.string(),
        addresses: z
          .array(
            z.object({
              address: z.string(),
              name: z.string().describe('Host name in the greeting'),
              daily_limit: z.int().nullable().describe('Messages per day while the address is new, or `null`'),
            }),
          )
          .describe('All email of the organisation is sent from these addresses'),
        waiting: z.int().describe('Messages that wait for delivery'),
        has_worker: z.boolean().describe('False if no worker can send from the addresses now. Messages wait.'),
      })
      .nullable()
      .describe('Dedicated IP addresses that the operator assigned. `null`: shared addresses.'),
  }),
  async handle({ org, db }) {
    const { thresholds, samples } = reputation
    const [now, ip_pool] = await Promise.all([reputation.find(db, org.id), findPoolState(db, org.id)])
    return {
      ...now,
      marketing_paused: now.marketing === 'paused',
      window_days: reputation.windowDays,
      thresholds,
      samples,
      ip_pool,
      resumption: 'Only an operator can resume marketing. Rates then count from the next day (UTC).',
    }
  },
})
