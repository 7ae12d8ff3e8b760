import { days, ms } from './values.ts'

/** How the fleet notices lost workers, and how long jobs are on record. */
export const jobs = {
  LEASE_MS: ms.min(500).default(12_000).describe('a worker silent for this long has lost its jobs'),
  SWEEP_MS: ms.min(50).default(500).describe('how often each worker looks for lost workers'),
  HOST_FAULT_MS: ms
    .default(24 * 60 * 60_000)
    .describe('a job is given up that no host could do for so long, as it lacked room or storage failed'),
  FAILED_JOB_DAYS: days.default(30).describe('days that failed jobs stay in their queues, to be retried or discarded'),
  ACTION_DAYS: days.default(400).describe('days that what operators did is on record'),
}
