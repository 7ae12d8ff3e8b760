import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { type FailureGroup, groups } from '#sql/jobs/failure-groups.ts'
import { list as listJobs } from '#sql/jobs/list.ts'
import { queues } from '#tasks/pools.ts'
import { confirmLink } from '../http/console/buttons.ts'
import { page } from '../http/console/page.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, count } from '../http/html/format.ts'
import { type Html, html, queryString } from '../http/html/html.ts'
import { firstLine, renderJobsTable } from './jobs-table.ts'
import { groupPath } from './regions/failing.ts'
import { sections } from './sections.ts'

const dayMs = 24 * 3_600_000
const days = { '1d': 1, '7d': 7, '30d': 30 }
const shownJobs = 50

const Period = z.enum(['1d', '7d', '30d']).catch('7d')
const since = (within: keyof typeof days) => new Date(Date.now() - days[within] * dayMs)

export const list = page({
  path: '/failures',
  summary: 'List failures by error',
  section: sections.failures,
  query: z.object({ within: Period }),
  async view({ db, query: { within } }) {
    const found = await groups(db, since(within))
    const links = Object.keys(days).map(
      (one) => html`<a href="/ops/failures?within=${one}"${one === within && html` aria-current="true"`}>${one}</a>`,
    )
    const main = html`<div class="title"><h1>Failures</h1><nav class="spans" aria-label="Period">${links}</nav></div>
<p class="lead">Failed attempts, grouped by task and error. Differences in numbers, IDs and paths are ignored.</p>
${found.length === 0 ? html`<p class="empty">No failures in the last ${within}.</p>` : groupsTable(found)}`
    return { title: 'Failures', main }
  },
})

function groupsTable(found: readonly FailureGroup[]): Html {
  return dataTable('Failures by error', found, {
    Error: ['error', (group) => html`<a href="${groupPath(group)}">${firstLine(group.error)}</a>`],
    Task: (group) => group.task,
    Jobs: ['number', (group) => count(group.jobs)],
    Attempts: ['number', (group) => count(group.attempts)],
    'Failed permanently': [
      'number',
      (group) => (group.given_up > 0 ? html`<span class="bad">${count(group.given_up)}</span>` : 0),
    ],
    'First failure': (group) => ago(group.first_at),
    'Last failure': (group) => ago(group.last_at),
  })
}

const Group = z.object({ pool: z.string(), task: z.string(), fingerprint: z.string() })

export const group = page({
  path: '/failures/group',
  summary: 'List failures with the same error',
  section: sections.failures,
  query: Group,
  async view({ db, query }) {
    const alike = await groups(db, since('30d'), { pool: query.pool, task: query.task, limit: 1_000 })
    const found = alike.find(({ fingerprint }) => fingerprint === query.fingerprint)
    if (!found) throw notFound('failure: only failures from the last 30 days are stored')
    const failed = { ...query, state: 'failed' }
    const { jobs } = await listJobs(db, queues, { ...query, state: 'failed' }, { limit: shownJobs })
    const buttons = html`<p class="actions">${confirmLink('retry-all', failed, 'Retry all failed jobs', 'of this group')}
${confirmLink('discard-all', failed, 'Discard all failed jobs', 'of this group')}</p>`
    const main = html`<p class="trail"><a href="/ops/failures">Failures</a></p>
<h1>${firstLine(found.error)}</h1>
<dl class="facts">
<div><dt>Task</dt><dd><a href="/ops/jobs${queryString({ pool: found.pool, task: found.task })}">${found.task}</a></dd></div>
<div><dt>Pool</dt><dd><a href="/ops/pools/${found.pool}">${found.pool}</a></dd></div>
<div><dt>Failed attempts</dt><dd>${count(found.attempts)}</dd></div><div><dt>Jobs</dt><dd>${count(found.jobs)}</dd></div>
<div><dt>Jobs that failed permanently</dt><dd>${count(found.given_up)}</dd></div>
<div><dt>First failure</dt><dd>${ago(found.first_at)}</dd></div><div><dt>Last failure</dt><dd>${ago(found.last_at)}</dd></div></dl>
<section aria-labelledby="newest"><h2 id="newest">Newest error</h2><pre tabindex="0">${found.error}</pre></section>
<section aria-labelledby="left"><div class="title"><h2 id="left">Failed jobs with this error</h2>${jobs.length > 0 && buttons}</div>
${
  jobs.length === 0
    ? html`<p class="empty">No failed jobs with this error remain. They were retried or discarded.</p>`
    : html`${renderJobsTable(jobs, 'Failed jobs with this error')}<p class="more"><a href="/ops/jobs${queryString(failed)}">All jobs with this error</a></p>`
}</section>`
    return { title: 'Failure', main }
  },
})
