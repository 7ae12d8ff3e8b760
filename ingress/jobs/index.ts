import { area } from '../http/area.ts'
import * as batches from './job-batches.ts'
import * as replays from './job-replays.ts'
import * as jobRoutes from './jobs.ts'
import * as settings from './settings.ts'
import * as signingSecret from './signing-secret.ts'

/**
 * Jobs by HTTP.
 * Terms:
 * - job: an HTTP request that Millrace sends to a server of the organisation, until it succeeds
 * - attempt: one request of a job
 * - key: a name whose jobs share a limit of concurrency or a rate
 */
export const jobs = area({
  name: 'jobs',
  title: 'Jobs',
  description: 'Call your own servers later, with retries, limits and signatures.',
  base: '/v1/jobs',
  platform: true,
  // Fixed paths come before `/{id}`.
  routes: { batches, replays, settings, signingSecret, jobs: jobRoutes },
})
