import { area } from '../http/area.ts'
import * as batches from './batches.ts'
import { dashboard } from './dashboard/contribution.ts'
import * as flows from './flows.ts'
import * as jobRoutes from './jobs.ts'
import * as keys from './keys.ts'
import * as replays from './replays.ts'
import * as schedules from './schedules.ts'
import * as settings from './settings.ts'
import * as signingSecret from './signing-secret.ts'

/**
 * Jobs by HTTP.
 * Terms:
 * - job: an HTTP request that Millrace sends to a server of the organisation, until it succeeds
 * - attempt: one request of a job
 * - schedule: times at which Millrace creates the same job
 * - flow: jobs that start in an order, each when the jobs that it names have ended
 * - key: a name whose jobs share a limit of concurrency or a rate
 */
export const jobs = area({
  name: 'jobs',
  title: 'Jobs',
  description: 'Call your own servers later, with retries, limits and signatures.',
  base: '/v1/jobs',
  platform: true,
  // Fixed paths come before `/{id}`.
  routes: { batches, replays, schedules, flows, keys, settings, signingSecret, jobs: jobRoutes },
  dashboard,
})
