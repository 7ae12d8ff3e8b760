import { area } from '../http/area.ts'
import * as failedPages from './dashboard/failed.ts'
import * as jobPages from './dashboard/job.ts'
import * as actionPages from './dashboard/job-actions.ts'
import { jobsRegion } from './dashboard/job-list.ts'
import * as listPages from './dashboard/jobs.ts'
import * as newPages from './dashboard/new-job.ts'
import * as sections from './dashboard/section.ts'
import * as jobRoutes from './jobs.ts'

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
  routes: { jobs: jobRoutes },
  dashboard: {
    finders: jobPages.finders,
    sections: [sections.section],
    pages: { listPages, newPages, failedPages, jobPages, actionPages },
    regions: { jobs: jobsRegion, ...jobPages.regions },
  },
})
