import { Id } from '#lib/ids.ts'
import { statuses } from '#sql/work/jobs.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { html } from '../../http/html/html.ts'
import { linkButton } from '../../http/html/parts.ts'
import { JobFilters, regionOf, renderJobs } from './job-list.ts'
import { sampleJob } from './new-job.ts'
import { scheduleOptions } from './schedule-options.ts'
import { failedPath, section, settingsPath } from './section.ts'

export const overview = page({
  path: '/jobs',
  summary: 'List jobs',
  section,
  permission: 'log:read',
  query: JobFilters.extend({ before: Id.optional() }),
  async view({ db, member, may, region, services, query: { before, ...filters } }) {
    const name = before === undefined ? regionOf(filters) : undefined
    const list = name ? await region(name) : await renderJobs(db, member.orgId, filters, before)
    const form = filterForm(
      [
        { name: 'status', label: 'Status', options: statuses },
        { name: 'group', label: 'Group', most: 200 },
        { name: 'origin_id', label: 'Schedule', options: await scheduleOptions(db, member.orgId) },
        { name: 'host', label: 'Host', placeholder: 'shop.example', most: 300 },
      ],
      filters,
      { button: 'Filter jobs' },
    )
    const main = html`<div class="title"><h1>Jobs</h1><p class="actions">${linkButton(failedPath, 'Failed jobs')} ${linkButton(settingsPath, 'Settings')} ${may('areas:write') && linkButton(`${section.path}/new`, 'Create job', { primary: true })}</p></div>
${form}
${list}
${apiCall(services, 'jobs.jobs.create', { body: sampleJob })}`
    return { title: 'Jobs', main }
  },
})
