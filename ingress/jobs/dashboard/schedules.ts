import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as schedules from '#sql/work/schedules.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { nextRun, scheduleState, timingOf } from './schedule-words.ts'
import { schedulesSection as section } from './section.ts'

const sample = {
  name: 'nightly-report',
  cron: '30 2 * * *',
  time_zone: 'Europe/Berlin',
  job: { url: 'https://shop.example/jobs/report' },
}

const newPath = `${section.path}/new`

export const list = page({
  path: '/jobs/schedules',
  summary: 'List schedules of jobs',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, region, services, query: { before } }) {
    const main = html`<div class="title"><h1>Schedules</h1>${may('areas:write') && linkButton(newPath, 'Create schedule', { primary: true })}</div>
${before ? await renderSchedules(db, member.orgId, before) : await region('schedules')}
${apiCall(services, 'jobs.schedules.create', { body: sample })}`
    return { title: 'Schedules', main }
  },
})

export const schedulesRegion: OrgRegion = {
  everyMs: 5_000,
  permission: 'log:read',
  read: (db, orgId) => renderSchedules(db, orgId, undefined),
}

async function renderSchedules(db: Parameters<OrgRegion['read']>[0], orgId: string, before: string | undefined) {
  const found = await schedules.list(db, orgId, { where: everything, before, limit: perPage + 1 })
  const { shown, older } = cutPage(found)
  if (shown.length === 0)
    return emptyState(
      'Your schedules appear here.',
      'A schedule creates a job at fixed times, such as every night. Start with the call below.',
    )
  return html`${scheduleTable(shown)}${older(section.path)}`
}

const scheduleTable = (shown: readonly schedules.Schedule[]): Html =>
  dataTable({ caption: 'Schedules', key: ({ id }) => id }, shown, {
    Name: (one) => html`<a href="${section.path}/${one.id}">${one.name}</a>`,
    Runs: ['break', (one) => timingOf(one)],
    Status: ['break', (one) => scheduleState(one)],
    'Next run': (one) => nextRun(one),
    'Last scheduled run': (one) => ago(one.last_run_at),
  })
