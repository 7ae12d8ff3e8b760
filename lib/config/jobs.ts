import { days, ms } from './values.ts'

export const jobs = {
  LEASE_MS: ms
    .min(500)
    .default(12_000)
    .describe('Timeout in milliseconds for a worker’s heartbeat. After that, the worker loses its jobs.'),
  SWEEP_MS: ms.min(50).default(500).describe('Interval in milliseconds at which each worker checks for lost workers'),
  FAILED_JOB_DAYS: days
    .default(30)
    .describe('Days that failed jobs stay in their queues. During this time, they can be retried or discarded.'),
  ACTION_DAYS: days.default(400).describe('Days that operator actions are kept'),
}
