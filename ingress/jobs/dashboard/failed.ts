import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as jobs from '#sql/work/jobs.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { counted, formatInstant } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../replays.ts'
import { toInstant } from './job-fields.ts'
import { jobTable } from './job-list.ts'
import { failedPath, section } from './section.ts'

const dayMs = 86_400_000

const Replayed = z.object({ replayed: z.number(), next: z.coerce.date().nullable() })

/** Failed jobs are kept until the retention ends, so that they can be replayed. */
export const { show: failed, submit: replayMany } = formPage({
  path: '/jobs/failed',
  summary: 'List failed jobs and replay them',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional(), group: optionalField(z.string().max(200)) }),
  fields: z.object({ since: z.string().max(100), group: optionalField(z.string().max(1_000)) }),
  async view({ db, member, may, services, query: { before, group }, filled, fault }) {
    const where = whereOf(jobs.filters, { status: 'failed', group })
    const found = await jobs.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const since = new Date(Date.now() - dayMs).toISOString().slice(0, 16)
    const main = html`${parentLink('Jobs', section.path)}<h1>Failed jobs</h1>${renderFault(fault)}
<p class="lead">These jobs have no attempts left, or your server returned 410. Correct the cause, then replay them.</p>
${shown.length === 0 ? emptyState('No failed jobs.', 'Jobs appear here after their last attempt.') : jobTable(shown, 'Failed jobs')}
${older(failedPath, { group })}
${
  may('areas:write') &&
  html`<section><h2>Replay many jobs</h2><form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'since', label: 'Created since (UTC)', type: 'datetime-local', required: true, otherwise: since })}
${textField(filled, { name: 'group', label: 'Group', otherwise: group ?? '', hint: 'Optional. Leave blank to replay the failed jobs of all groups.' })}
<button>Replay jobs</button></form></section>`
}
${apiCall(services, 'jobs.replays.create', { body: { since: `${since}:00Z` } })}`
    return { title: 'Failed jobs', main }
  },
  async submit({ ask, given: { since, group } }) {
    const body = { since: toInstant(since) ?? '', ...(group !== undefined && { group }) }
    const { replayed, next } = await ask(create, { body }, Replayed)
    const more = next ? ` To replay the others, repeat with ${formatInstant(next)} UTC as the start.` : ''
    return {
      to: failedPath,
      told: `${counted(replayed, 'job')} will start again.${more}`,
    }
  },
})
