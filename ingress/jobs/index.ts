import { area } from '../http/area.ts'
import * as failedPages from './dashboard/failed.ts'
import * as flowPages from './dashboard/flow.ts'
import * as flowListPages from './dashboard/flows.ts'
import * as jobPages from './dashboard/job.ts'
import * as actionPages from './dashboard/job-actions.ts'
import { jobsRegion } from './dashboard/job-list.ts'
import * as listPages from './dashboard/jobs.ts'
import * as newPages from './dashboard/new-job.ts'
import * as schedulePages from './dashboard/schedule.ts'
import * as scheduleActionPages from './dashboard/schedule-actions.ts'
import * as scheduleChangePages from './dashboard/schedule-changes.ts'
import * as schedulePreviewPages from './dashboard/schedule-preview.ts'
import * as scheduleListPages from './dashboard/schedules.ts'
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
    finders: [...jobPages.finders, ...schedulePages.finders, ...flowPages.finders],
    sections: [sections.section, sections.schedulesSection, sections.flowsSection],
    // Before the jobs: their paths would match `/jobs/{job_id}`.
    pages: {
      ...{ listPages, newPages, failedPages },
      ...{ scheduleListPages, schedulePreviewPages, scheduleChangePages, schedulePages, scheduleActionPages },
      ...{ flowListPages, flowPages, jobPages, actionPages },
    },
    regions: {
      ...{ jobs: jobsRegion, schedules: scheduleListPages.schedulesRegion, schedule: schedulePages.scheduleRegion },
      ...{ flows: flowListPages.flowsRegion, flow: flowPages.flowRegion, ...jobPages.regions },
    },
  },
})
