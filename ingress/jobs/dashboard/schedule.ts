import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as jobs from '#sql/work/jobs.ts'
import * as schedules from '#sql/work/schedules.ts'
import { listNextRuns } from '#tasks/work/rules/schedules/next-run.ts'
import { readStoredJob } from '#tasks/work/rules/schedules/schedule-job.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { actionButton, emptyState, linkButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { jobTable } from './job-list.ts'
import { nextRun, runList, scheduleState, timingOf } from './schedule-words.ts'
import { section as jobsSection, schedulesSection as section } from './section.ts'

/** Number of next runs and of last jobs that the page shows. */
const [nextShown, lastShown] = [5, 10]

export const readSchedule = page({
  path: '/jobs/schedules/{schedule_id}',
  summary: 'Show a schedule with its runs',
  section,
  permission: 'log:read',
  params: z.object({ schedule_id: pathId('schedule') }),
  async view({ db, member, may, region, params: { schedule_id: id } }) {
    const found = await mustFind(schedules.find(db, member.orgId, id), 'schedule')
    const main = html`${parentLink('Schedules', section.path)}<h1>${found.name}</h1>
${may('areas:write') && buttons(found, member)}
${await region(`schedule/${id}`)}`
    return { title: found.name, main }
  },
})

export const finders = [findById('Schedule', section.path, schedules.find, { permission: 'log:read', name: 'name' })]

function buttons({ id, state, name }: schedules.Schedule, member: Member): Html {
  const path = `${section.path}/${id}`
  const switches = {
    active: actionButton(member, `${path}/pause`, 'Pause schedule'),
    paused: actionButton(member, `${path}/resume`, 'Resume schedule'),
    ended: undefined,
  }
  return html`<div class="actions">${actionButton(member, `${path}/trigger`, 'Run now', { of: name })} ${switches[state]}
${linkButton(`${path}/edit`, 'Edit schedule')} <a class="button grave" href="${path}/delete">Delete schedule</a></div>`
}

export const scheduleRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given]) {
    const id = Id.safeParse(given)
    const found = id.success ? await schedules.find(db, orgId, id.data) : null
    return found && (await renderSchedule(db, found))
  },
}

async function renderSchedule(db: DatabasePool, one: schedules.Schedule): Promise<Html> {
  const next = one.state === 'active' ? listNextRuns(one, new Date(), nextShown) : []
  const where = whereOf(jobs.filters, { origin_id: one.id })
  const last = await jobs.list(db, one.org_id, { where, before: undefined, limit: lastShown })
  return html`<dl class="facts">${factsOf(one).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Next runs</h2>${one.state === 'paused' ? html`<p class="quiet">The schedule is paused.</p>` : runList(next, one.time_zone)}</section>
<section><h2>Last runs</h2>${last.length === 0 ? emptyState('Jobs of this schedule appear here.') : html`${jobTable(last, 'Last runs')}<p><a href="${jobsSection.path}?origin_id=${one.id}">Show all jobs of this schedule</a></p>`}</section>`
}

function factsOf(one: schedules.Schedule): (readonly [string, Content])[] {
  const { url, method = 'POST' } = readStoredJob(one)
  const instant = (at: Date | null) => (at === null ? quiet('none') : `${formatInstant(at)} UTC`)
  return [
    ['Status', scheduleState(one)],
    ['Runs', timingOf(one)],
    ['Next run', nextRun(one)],
    ['Last scheduled run', ago(one.last_run_at)],
    ['Request', html`<b class="method">${method}</b> <code class="break">${url}</code>`],
    ['Missed runs', one.missed === 'once' ? 'one job for all of them' : 'skipped'],
    ...(one.starts_at ? [['Starts', instant(one.starts_at)] as const] : []),
    ...(one.ends_at ? [['Ends', instant(one.ends_at)] as const] : []),
  ]
}
