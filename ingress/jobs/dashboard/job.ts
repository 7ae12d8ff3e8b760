import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as jobs from '#sql/work/jobs.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { counted, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { actionButton, copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { renderAttempts } from './attempts.ts'
import { callOf, jobState, originOf } from './job-state.ts'
import { retryWords } from './retry-words.ts'
import { jobPath, section } from './section.ts'

export const read = page({
  path: '/jobs/{job_id}',
  summary: 'Show a job and its attempts',
  section,
  permission: 'log:read',
  params: z.object({ job_id: pathId('job') }),
  async view({ db, member, may, doer, region, params: { job_id: id } }) {
    const found = await mustFind(jobs.find(db, member.orgId, id), 'job')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'job', id })
    const main = html`${parentLink('Jobs', section.path)}<div class="title"><h1>${callOf(found)}</h1></div>
${may('areas:write') && (await buttons(found, member))}
${await region(`${contents ? 'job' : 'job-facts'}/${id}`)}
${contents ? requestOf(found) : emptyState('Your role cannot view bodies and responses.')}`
    return { title: `${found.method} ${found.host}`, main }
  },
})

export const finders = [findById('Job', section.path, jobs.find, { permission: 'log:read' })]

/** The buttons do not change with the status, because the API rejects what a status does not allow. */
async function buttons({ id, phase }: jobs.Job, member: Member): Promise<Html> {
  const ended = phase === 'ended'
  return html`<div class="actions">${!ended && actionButton(member, `${jobPath(id)}/cancel`, 'Cancel job')}
${ended && actionButton(member, `${jobPath(id)}/replay`, 'Replay job')}
${ended && html`<a class="button grave" href="${jobPath(id)}/delete">Delete job</a>`}</div>`
}

/** Renders the facts and attempts of the job whose ID follows the name of the region. */
const regionWith = (contents: boolean): OrgRegion => ({
  everyMs: 2_000,
  permission: contents ? 'contents:read' : 'log:read',
  async read(db, orgId, [given]) {
    const id = Id.safeParse(given)
    const found = id.success ? await jobs.find(db, orgId, id.data) : null
    return (
      found &&
      html`<dl class="facts">${factsOf(found).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Attempts</h2>${renderAttempts(found, contents)}</section>`
    )
  },
})

export const regions = { job: regionWith(true), 'job-facts': regionWith(false) }

const instant = (at: Date | null): Content => (at === null ? quiet('not yet') : `${formatInstant(at)} UTC`)

const factsOf = (one: jobs.Job): (readonly [string, Content])[] => [
  ['Status', jobState(one)],
  ['Attempts', `${one.attempts} of ${one.retries.max_attempts}`],
  ['Retries', retryWords(one.retries)],
  ['Timeout', `${one.timeout_ms / 1000} s`],
  ['Created by', originOf(one)],
  ['Created', instant(one.created_at)],
  ['Started', instant(one.started_at)],
  ['Ended', instant(one.ended_at)],
  ['Job', copyable(one.id, 'the job ID')],
  ...optionalFacts(one),
]

function optionalFacts(one: jobs.Job): (readonly [string, Content])[] {
  const facts: (readonly [string, Content])[] = []
  if (one.group_name !== null) facts.push(['Group', one.group_name])
  if (one.dedupe_key !== null) facts.push(['Dedupe key', one.dedupe_key])
  if (one.concurrency_key !== null)
    facts.push([
      'Concurrency',
      `up to ${counted(one.concurrency_limit ?? 1, 'job')} with the key ${one.concurrency_key} at the same time`,
    ])
  if (one.rate_key !== null) facts.push(['Rate', `${one.rate_limit} per ${one.rate_per} with the key ${one.rate_key}`])
  return facts
}

/** Maximum characters of a body that a page shows. */
const mostShown = 40_000

const requestOf = (one: jobs.Job): Html => html`<section><h2>Request</h2>
<dl class="facts"><div><dt>URL</dt><dd class="break">${one.url}</dd></div>
<div><dt>Headers</dt><dd>${one.header_names.length === 0 ? quiet('none') : one.header_names.map((name) => html`<code>${name}</code> `)}</dd></div></dl>
${one.body === null ? html`<p class="quiet">The request has no body.</p>` : html`<pre tabindex="0" aria-label="Body">${one.body.slice(0, mostShown)}</pre>`}</section>`
