import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/intake/requests.ts'
import * as sources from '#sql/intake/sources.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { reasons } from '#tasks/intake/rules/signature.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { listJobs } from '../request-jobs.ts'
import { textOf } from '../request-view.ts'
import { remove as removeRequest, replay as replayRequest } from '../requests.ts'
import { requestPath, section, sourcePath } from './section.ts'

const params = z.object({ request_id: pathId('request') })

export const read = page({
  path: '/intake/requests/{request_id}',
  summary: 'Show a received webhook',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, doer, region, params: { request_id: id } }) {
    const found = await mustFind(rows.find(db, member.orgId, id), 'request')
    const source = await sources.find(db, member.orgId, found.source_id)
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'received_webhook', id })
    const write = may('areas:write')
    const again =
      write && found.verified && source?.forward && actionButton(member, `${requestPath(id)}/replay`, 'Forward again')
    const main = html`${parentLink(section.title, section.path)}<div class="title"><h1>${found.event_type ?? 'Request'}</h1>${again && html`<div class="actions">${again}</div>`}</div>
${found.reason && html`<div class="fault"><p><b>${reasons[found.reason]}</b></p><p>The request was answered with 401 and is not forwarded.</p></div>`}
${await region(`intake-request/${id}`)}
${contents && html`${await bodyOf(db, member.orgId, found)}<section><h2>Headers</h2>${headerTable(found)}</section>`}
${write && html`<section><h2>Actions</h2><div class="actions spaced">${actionButton(member, `${requestPath(id)}/remove`, 'Delete request', { grave: true })}</div></section>`}`
    return { title: found.event_type ?? 'Request', main }
  },
})

export const finders = [findById('Received webhook', `${section.path}/requests`, rows.find, { permission: 'log:read' })]

async function bodyOf(db: DatabasePool, orgId: string, { id, size }: rows.Facts): Promise<Html> {
  const body = await mustFind(rows.findBody(db, orgId, id), 'request')
  const text = textOf(body)
  const isComplete = body.length === size
  return html`<section><h2>Body</h2>
${!isComplete && html`<p class="quiet">Only the start is stored, because the signature is invalid.</p>`}
${body.length === 0 ? html`<p class="quiet">The body is empty.</p>` : html`<pre tabindex="0" aria-label="Body">${text ?? body.toString('base64')}</pre>`}
${text === null && html`<p class="quiet">The body is not text. It is shown in base64.</p>`}</section>`
}

const headerTable = ({ headers }: rows.Facts): Html =>
  dataTable('Headers', Object.entries(headers), {
    Name: ['break', ([name]) => html`<code>${name}</code>`],
    Value: ['wide break', ([, value]) => html`<code>${value}</code>`],
  })

const instant = (at: Date): string => `${formatInstant(at)} UTC`

/** State of a request and its jobs. */
export const requestRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await rows.find(db, orgId, id.data) : null
    if (!found) return null
    const source = await sources.find(db, orgId, found.source_id)
    const jobs = await listJobs(db, orgId, found.id)
    return html`<dl class="facts"><div><dt>Status</dt><dd>${statusBadge(found.status)}</dd></div>
<div><dt>Source</dt><dd>${source ? html`<a href="${sourcePath(source.id)}">${source.name}</a>` : quiet('deleted')}</dd></div>
<div><dt>Signature</dt><dd>${statusBadge(found.verified ? 'verified' : 'rejected', { shown: found.verified ? 'valid' : 'invalid' })}</dd></div>
<div><dt>Event ID</dt><dd class="break">${found.event_id ? copyable(found.event_id, 'the event ID') : quiet('none')}</dd></div>
<div><dt>Duplicates</dt><dd>${count(found.duplicates)}</dd></div>
<div><dt>Size</dt><dd>${count(found.size)} bytes</dd></div>
<div><dt>Content type</dt><dd class="break">${found.content_type ?? quiet('none')}</dd></div>
<div><dt>Signed</dt><dd>${found.signed_at ? instant(found.signed_at) : quiet('no time')}</dd></div>
<div><dt>Received</dt><dd>${instant(found.received_at)}</dd></div>
<div><dt>Request</dt><dd>${copyable(found.id, 'the request ID')}</dd></div></dl>
<section><h2>Jobs</h2>${jobs.length === 0 ? html`<p class="quiet">No job forwards this request.</p>` : jobTable(jobs)}</section>`
  },
}

const jobTable = (jobs: Awaited<ReturnType<typeof listJobs>>): Html =>
  dataTable({ caption: 'Jobs', key: ({ id }) => `job-${id}` }, jobs, {
    Job: ['break', (one) => html`<a href="/app/jobs/${one.id}">${one.id}</a>`],
    Status: (one) => statusBadge(one.status),
    Attempts: ['number', (one) => String(one.attempts)],
    Created: (one) => ago(one.created_at),
  })

export const replay = action({
  path: '/intake/requests/{request_id}/replay',
  summary: 'Forward a received webhook again',
  permission: 'areas:write',
  params,
  back: ({ request_id }) => requestPath(request_id),
  async perform({ ask, params: { request_id: id } }) {
    await ask(replayRequest, { params: { id } }, z.unknown())
    return { to: requestPath(id), told: 'A new job forwards the request.' }
  },
})

export const remove = action({
  path: '/intake/requests/{request_id}/remove',
  summary: 'Delete a received webhook',
  permission: 'areas:write',
  params,
  back: ({ request_id }) => requestPath(request_id),
  async perform({ ask, params: { request_id: id } }) {
    await ask(removeRequest, { params: { id } }, z.unknown())
    return { to: section.path, told: 'Request deleted.' }
  },
})
