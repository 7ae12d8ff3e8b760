import { days, ms } from './values.ts'

export const jobs = {
  LEASE_MS: ms
    .min(500)
    .default(12_000)
    .describe('Milliseconds without a sign of life after which a worker loses its jobs'),
  SWEEP_MS: ms.min(50).default(500).describe('Interval in milliseconds at which each worker checks for lost workers'),
  HOST_FAULT_MS: ms
    .default(24 * 60 * 60_000)
    .describe(
      'Milliseconds after which a job fails if no host could run it, because of lack of space or a storage failure',
    ),
  FAILED_JOB_DAYS: days
    .default(30)
    .describe('Days that failed jobs stay in their queues, where they can be retried or discarded'),
  ACTION_DAYS: days.default(400).describe('Days that the actions of operators are kept'),
}
