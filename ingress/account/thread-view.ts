import { z } from 'zod'
import { Attempt, Failure, Job, Mail, Push, Webhook } from '#sql/account/usage/request-thread.ts'
import { Instant } from '../http/instant.ts'

export const ThreadView = z.object({
  jobs: z.array(
    Job.extend({
      created_at: Instant,
      finished_at: Instant.nullable(),
      attempts: z.array(Attempt.extend({ started_at: Instant, ended_at: Instant.nullable() })),
    }),
  ),
  failures: z.array(Failure.extend({ ended_at: Instant })),
  email: z.array(Mail.extend({ started_at: Instant, ended_at: Instant })),
  push: z.array(Push.extend({ created_at: Instant })),
  webhooks: z.array(Webhook.extend({ attempted_at: Instant.nullable() })),
})
