import type { DashboardContribution } from '../../http/dashboard/contents.ts'
import * as failedPages from './failed.ts'
import * as flowPages from './flow.ts'
import * as flowListPages from './flows.ts'
import * as jobPages from './job.ts'
import * as actionPages from './job-actions.ts'
import { jobsRegion } from './job-list.ts'
import * as listPages from './jobs.ts'
import * as limitPages from './limits.ts'
import * as newPages from './new-job.ts'
import * as schedulePages from './schedule.ts'
import * as scheduleActionPages from './schedule-actions.ts'
import * as scheduleChangePages from './schedule-changes.ts'
import * as schedulePreviewPages from './schedule-preview.ts'
import * as scheduleListPages from './schedules.ts'
import { flowsSection, limitsSection, schedulesSection, section } from './section.ts'
import * as settingPages from './settings.ts'

/** What the area adds to the dashboard. */
export const dashboard: DashboardContribution = {
  finders: [...jobPages.finders, ...schedulePages.finders, ...flowPages.finders],
  sections: [section, schedulesSection, flowsSection, limitsSection],
  // Fixed paths come before `/jobs/{job_id}`.
  pages: {
    ...{ listPages, newPages, failedPages, limitPages, settingPages },
    ...{ scheduleListPages, schedulePreviewPages, scheduleChangePages, schedulePages, scheduleActionPages },
    ...{ flowListPages, flowPages, jobPages, actionPages },
  },
  regions: {
    ...{ jobs: jobsRegion, schedules: scheduleListPages.schedulesRegion, schedule: schedulePages.scheduleRegion },
    ...{ flows: flowListPages.flowsRegion, flow: flowPages.flowRegion, 'job-limits': limitPages.limitsRegion },
    ...jobPages.regions,
  },
}
