import { z } from 'zod'
import * as jobs from '#sql/work/jobs.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as routes from '../jobs.ts'
import { jobPath, section } from './section.ts'

const shared = {
  permission: 'areas:write',
  params: z.object({ job_id: pathId('job') }),
  back: ({ job_id }: { job_id: string }) => jobPath(job_id),
} as const

export const cancelJob = action({
  ...shared,
  path: '/jobs/{job_id}/cancel',
  summary: 'Cancel a job',
  async perform({ ask, params: { job_id: id } }) {
    const { status } = await ask(routes.cancel, { params: { id } }, z.object({ status: z.string() }))
    return {
      to: jobPath(id),
      told:
        status === 'cancelled'
          ? 'Job cancelled.'
          : 'The running attempt is being aborted. The job has no further attempts.',
    }
  },
})

export const replayJob = action({
  ...shared,
  path: '/jobs/{job_id}/replay',
  summary: 'Replay a job',
  async perform({ ask, params: { job_id: id } }) {
    await ask(routes.replay, { params: { id } }, z.unknown())
    return { to: jobPath(id), told: 'The job starts again.' }
  },
})

export const { show: askToDelete, submit: deleteJob } = formPage({
  ...shared,
  path: '/jobs/{job_id}/delete',
  summary: 'Delete a job',
  section,
  fields: z.object({}),
  async view({ db, member, params: { job_id: id }, fault }) {
    const { method, host } = await mustFind(jobs.find(db, member.orgId, id), 'job')
    const main = html`${parentLink('Job', jobPath(id))}<h1>Delete this job?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The job <code>${method} ${host}</code>, its body and its attempts are deleted.</p>
<p class="actions"><button class="grave">Delete job</button> <a class="button plain" href="${jobPath(id)}">Cancel</a></p></form>`
    return { title: 'Delete this job?', main }
  },
  async submit({ ask, params: { job_id: id } }) {
    await ask(routes.remove, { params: { id } }, z.unknown())
    return { to: section.path, told: 'Job deleted.' }
  },
})
