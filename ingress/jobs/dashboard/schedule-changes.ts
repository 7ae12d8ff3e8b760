import { z } from 'zod'
import * as schedules from '#sql/work/schedules.ts'
import { openJob, readStoredJob, type StoredJob } from '#tasks/work/rules/schedules/schedule-job.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as routes from '../schedules.ts'
import { atJobFields } from './job-fields.ts'
import type { Shown } from './job-inputs.ts'
import { scheduleFields, scheduleForm, toSchedule } from './schedule-form.ts'
import { renderPreview } from './schedule-preview.ts'
import { timingIn } from './schedule-timing.ts'
import { schedulesSection as section } from './section.ts'

const params = z.object({ schedule_id: pathId('schedule') })

const place = (id: string): string => `${section.path}/${id}`

const Made = z.object({ id: z.string() })

export const { show: write, submit: create } = formPage({
  path: '/jobs/schedules/new',
  summary: 'Create a schedule of jobs',
  section,
  permission: 'areas:write',
  formBytes: 1024 * 1024,
  fields: scheduleFields,
  async view({ member, ask, filled, fault }) {
    const preview = await renderPreview(ask, timingIn(filled.given))
    const main = html`${parentLink('Schedules', section.path)}<h1>Create a schedule</h1>${renderFault(fault)}
${scheduleForm(member, filled, { preview, words: 'Create schedule', back: section.path })}`
    return { title: 'Create a schedule', main }
  },
  async submit({ ask, given }) {
    const { id } = await atJobFields(ask(routes.create, { body: toSchedule(given) }, Made))
    return { to: place(id), told: 'Schedule created.' }
  },
})

export const { show: askForChange, submit: change } = formPage({
  path: '/jobs/schedules/{schedule_id}/edit',
  summary: 'Edit a schedule of jobs',
  section,
  permission: 'areas:write',
  formBytes: 1024 * 1024,
  params,
  fields: scheduleFields,
  async view({ db, member, ask, filled, fault, params: { schedule_id: id } }) {
    const now = await mustFind(schedules.find(db, member.orgId, id), 'schedule')
    const isNew = Object.keys(filled.given).length === 0
    const preview = await renderPreview(ask, isNew ? timingOfRow(now) : timingIn(filled.given))
    const form = scheduleForm(member, filled, {
      now,
      job: toShown(readStoredJob(now)),
      preview,
      words: 'Save schedule',
      back: place(id),
    })
    const main = html`${parentLink(now.name, place(id))}<h1>Edit schedule</h1>${renderFault(fault)}
${form}`
    return { title: 'Edit schedule', main }
  },
  async submit({ db, member, ask, given, params: { schedule_id: id } }) {
    const now = await mustFind(schedules.find(db, member.orgId, id), 'schedule')
    const { job, ...more } = toSchedule(given)
    // `job` replaces the complete job, and the form does not show the values of its headers.
    const headers = job.headers ?? openJob(now).headers
    const cleared = { cron: null, every: null, starts_at: null, ends_at: null }
    const body = { ...cleared, ...more, job: { ...job, headers } }
    await atJobFields(ask(routes.update, { params: { id }, body }, z.unknown()))
    return { to: place(id), told: 'Schedule saved.' }
  },
})

const timingOfRow = ({ cron, time_zone, every_seconds, starts_at, ends_at }: schedules.Schedule) => ({
  ...(cron === null ? { every: every_seconds } : { cron, time_zone }),
  ...{ starts_at: starts_at?.toISOString() ?? null, ends_at: ends_at?.toISOString() ?? null },
})

const toShown = ({ body, timeoutMs, concurrency, rate, ...job }: StoredJob): Shown => ({
  ...{ url: job.url, method: job.method ?? 'POST', body: body?.text ?? null, body_type: body?.type ?? null },
  ...(job.retries && { retries: job.retries }),
  ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  ...{ group_name: job.group ?? null, concurrency_key: concurrency?.key ?? null },
  ...{ concurrency_limit: concurrency?.limit ?? null, rate_key: rate?.key ?? null },
  ...{ rate_limit: rate?.limit ?? null, rate_per: rate?.per ?? null },
})
