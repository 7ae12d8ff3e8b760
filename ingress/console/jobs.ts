import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { BadCursorError, list as listJobs, type Page } from '#sql/jobs/list.ts'
import { describeFilter } from '#tasks/jobs/rules/actions.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { UnknownNameError } from '#tasks/jobs/rules/names.ts'
import { queues } from '#tasks/pools.ts'
import { confirmLink } from '../http/console/buttons.ts'
import { page } from '../http/console/page.ts'
import { type Html, html, queryString } from '../http/html/html.ts'
import { perPage } from '../http/html/paging.ts'
import { type FilterQuery as Chosen, FilterQuery, filterForm, toJobFilter } from './job-filter.ts'
import { jobPath, renderJobsTable } from './jobs-table.ts'
import { sections } from './sections.ts'

export const list = page({
  path: '/jobs',
  summary: 'List jobs',
  section: sections.jobs,
  query: FilterQuery.extend({ cursor: z.string().max(4_000).optional() }),
  async view({ db, query: { cursor, ...chosen } }) {
    const { jobs, next } = await find(db, chosen, cursor)
    const more =
      next !== null && html`<a class="button" href="/ops/jobs${queryString({ ...chosen, cursor: next })}">Older</a>`
    const main = html`<h1>Jobs</h1>
${filterForm(chosen)}
${
  jobs.length === 0
    ? html`<p class="empty">No jobs match these filters. Untracked jobs leave no record after they finish.</p>`
    : html`<div class="title"><p class="lead">${await describe(db, chosen)}, newest first${cursor !== undefined && ' (continued)'}.</p>${manyButtons(chosen)}</div>
${renderJobsTable(jobs, 'Matching jobs')}
<p class="more">${cursor !== undefined && html`<a class="button" href="/ops/jobs${queryString(chosen)}">Newest</a> `}${more}</p>`
}`
    return { title: 'Jobs', main }
  },
})

async function find(db: DatabasePool, chosen: Chosen, cursor: string | undefined): Promise<Page> {
  try {
    return await listJobs(db, queues, await toJobFilter(db, chosen), { limit: perPage, cursor })
  } catch (error) {
    if (error instanceof BadCursorError)
      throw badRequest([{ field: 'query.cursor', issue: 'must be a cursor of this list' }])
    throw error
  }
}

async function describe(db: DatabasePool, chosen: Chosen): Promise<string> {
  const words = await describeFilter(db, await toJobFilter(db, chosen))
  return words === 'all jobs' ? 'All jobs' : `Jobs with ${words}`
}

function manyButtons(chosen: Chosen): Html {
  const { state } = chosen
  const button = (action: string, words: string) => confirmLink(action, chosen, words, 'that match')
  const open = state === undefined || ['waiting', 'scheduled', 'paused', 'running'].includes(state)
  const failed = state === undefined || state === 'failed'
  return html`<p class="actions">${failed && html`${button('retry-all', 'Retry all failed jobs')} ${button('discard-all', 'Discard all failed jobs')}`}
${open && html`${state !== 'running' && button('reschedule-all', 'Reschedule all jobs')} ${button('cancel-all', 'Cancel all jobs')}`}</p>`
}

export const show = page({
  path: '/jobs/{name}',
  summary: 'Show a job',
  section: sections.jobs,
  params: z.object({ name: z.string().max(100) }),
  async view({ db, region, params: { name } }) {
    const { task } = await describeJob(db, name).catch((error) => {
      throw error instanceof UnknownNameError
        ? notFound('job: untracked jobs leave no record after they finish')
        : error
    })
    const main = html`<p class="trail"><a href="/ops/jobs">Jobs</a></p>
<h1>${task} <a class="id" href="${jobPath(name)}">${name}</a></h1>
${await region(`job/${name}`)}`
    return { title: `${task} ${name}`, main }
  },
})
