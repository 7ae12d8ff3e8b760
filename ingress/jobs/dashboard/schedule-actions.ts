import { z } from 'zod'
import * as schedules from '#sql/work/schedules.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as routes from '../schedules.ts'
import { jobPath, schedulesSection as section } from './section.ts'

const place = (id: string): string => `${section.path}/${id}`

const shared = {
  permission: 'areas:write',
  params: z.object({ schedule_id: pathId('schedule') }),
  back: ({ schedule_id }: { schedule_id: string }) => place(schedule_id),
} as const

export const pauseSchedule = action({
  ...shared,
  path: '/jobs/schedules/{schedule_id}/pause',
  summary: 'Pause a schedule of jobs',
  async perform({ ask, params: { schedule_id: id } }) {
    await ask(routes.pause, { params: { id } }, z.unknown())
    return { to: place(id), told: 'Schedule paused.' }
  },
})

export const resumeSchedule = action({
  ...shared,
  path: '/jobs/schedules/{schedule_id}/resume',
  summary: 'Resume a schedule of jobs',
  async perform({ ask, params: { schedule_id: id } }) {
    await ask(routes.resume, { params: { id } }, z.unknown())
    return { to: place(id), told: 'Schedule resumed.' }
  },
})

export const triggerSchedule = action({
  ...shared,
  path: '/jobs/schedules/{schedule_id}/trigger',
  summary: 'Run a schedule of jobs now',
  async perform({ ask, params: { schedule_id: id } }) {
    const job = await ask(routes.trigger, { params: { id } }, z.object({ id: z.string() }))
    return { to: jobPath(job.id), told: 'Job created.' }
  },
})

export const { show: askToDelete, submit: deleteSchedule } = formPage({
  ...shared,
  path: '/jobs/schedules/{schedule_id}/delete',
  summary: 'Delete a schedule of jobs',
  section,
  fields: z.object({}),
  async view({ db, member, params: { schedule_id: id }, fault }) {
    const { name } = await mustFind(schedules.find(db, member.orgId, id), 'schedule')
    const main = html`${parentLink(name, place(id))}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The schedule has no further runs. Jobs that it has created stay.</p>
<p class="actions"><button class="grave">Delete schedule</button> <a class="button plain" href="${place(id)}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ ask, params: { schedule_id: id } }) {
    await ask(routes.remove, { params: { id } }, z.unknown())
    return { to: section.path, told: 'Schedule deleted.' }
  },
})
