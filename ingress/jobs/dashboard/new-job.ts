import { z } from 'zod'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../jobs.ts'
import { atJobFields, jobFields, toInstant, toJob, toNumber } from './job-fields.ts'
import { limitInputs, requestInputs } from './job-inputs.ts'
import { jobPath, section } from './section.ts'

/** Job of the calls that the pages show. */
export const sampleJob = { url: 'https://shop.example/jobs/charge', body: { order: 1042 }, delay: 60 }

const text = optionalField(z.string())

export const { show: write, submit: send } = formPage({
  path: '/jobs/new',
  summary: 'Create a job',
  section,
  permission: 'areas:write',
  formBytes: 1024 * 1024,
  fields: z.object({ ...jobFields, delay: text, run_at: text, dedupe_key: text }),
  async view({ member, services, filled, fault }) {
    const main = html`${parentLink('Jobs', section.path)}<h1>Create a job</h1>${renderFault(fault)}
<form class="form long" method="post">${tokenField(member)}
${requestInputs(filled)}
${textField(filled, { name: 'delay', label: 'Delay in seconds', type: 'number', hint: 'Optional. Without a delay and a start, the job starts now.' })}
${textField(filled, { name: 'run_at', label: 'Start (UTC)', type: 'datetime-local', hint: 'Optional. Up to a year from now.' })}
${textField(filled, { name: 'dedupe_key', label: 'Dedupe key', hint: 'Optional. A second job with the same key is not created.' })}
${limitInputs(filled)}
<div class="submit"><button class="primary">Create job</button> <a class="button plain" href="${section.path}">Cancel</a></div></form>
${apiCall(services, 'jobs.jobs.create', { body: sampleJob })}`
    return { title: 'Create a job', main }
  },
  async submit({ ask, given: { delay, run_at, dedupe_key, ...given } }) {
    const start = {
      ...(delay !== undefined && { delay: toNumber(delay) }),
      ...(run_at !== undefined && { run_at: toInstant(run_at) }),
      ...(dedupe_key !== undefined && { dedupe_key }),
    }
    const { id } = await atJobFields(ask(create, { body: { ...toJob(given), ...start } }, z.object({ id: z.string() })))
    return { to: jobPath(id), told: 'Job created.' }
  },
})
