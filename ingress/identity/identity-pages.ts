import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import * as checks from '#sql/identity/checks.ts'
import * as readings from '#sql/identity/readings.ts'
import * as controls from '#sql/jobs/controls.ts'
import { findRequirement } from '#tasks/identity/rules/catalogue.ts'
import { confirmLink } from '../http/console/buttons.ts'
import { page, shared } from '../http/console/page.ts'
import { findOperator } from '../http/console/session.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { readingSummary } from './reading-summary.ts'

export const identities = { title: 'Identity', path: '/ops/identity', group: 'Knowledge and trust' } as const

const perPage = 100

const linkSeconds = 60

export const list = page({
  path: '/identity',
  summary: 'List documents that need a decision',
  section: identities,
  async view({ db }) {
    const waiting = await checks.listWaiting(db, perPage)
    const objectIds = waiting.flatMap(({ object_id }) => object_id ?? [])
    const read = await readings.listForObjects(db, objectIds)
    const main = html`<h1>Identity</h1>
<p class="lead">Documents that passed the malware scan and need a decision, oldest first.</p>
${waiting.length === 0 ? html`<p class="empty">Documents that need a decision appear here.</p>` : waitingTable(waiting, read)}
${waiting.length === perPage && html`<p class="quiet">More documents appear after you decide on these.</p>`}`
    return { title: 'Identity', main }
  },
})

type Readings = Awaited<ReturnType<typeof readings.listForObjects>>

function waitingTable(waiting: readonly checks.WaitingCheck[], read: Readings): Html {
  return html`<table class="data stacks"><caption class="unseen">Documents that need a decision</caption>
<thead><tr><th scope="col">Requirement</th><th scope="col">Organisation</th><th scope="col">Subject</th><th scope="col">Document</th><th scope="col">Data</th>
<th scope="col">Submitted</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
<tbody>${waiting.map((one) => rowOf(one, read))}</tbody></table>`
}

function rowOf(
  { id, org, subject, requirement, object_id, filename, updated_at }: checks.WaitingCheck,
  read: Readings,
): Html {
  const title = findRequirement(requirement)?.title ?? requirement
  const about = { check: id, object: object_id ?? '' }
  return html`<tr>
<th scope="row">${title}</th><td data-label="Organisation">${org}</td><td data-label="Subject" class="break">${subject || 'the organisation'}</td>
<td data-label="Document" class="break"><a href="/ops/identity/${id}/document">${filename}</a></td>
<td data-label="Data">${readingSummary(read.get(object_id ?? ''))}</td>
<td data-label="Submitted">${ago(updated_at)}</td>
<td>${confirmLink('verify-identity', about, 'Verify document', title)} ${confirmLink('reject-identity', about, 'Reject document', title)}</td></tr>`
}

export const document = route({
  ...shared,
  method: 'GET',
  path: '/identity/{id}/document',
  summary: 'View a submitted document',
  params: z.object({ id: Id }),
  async handle({ ctx, db, params: { id }, services }) {
    const operator = await findOperator(ctx, db)
    if (!operator) {
      ctx.redirect(`/ops/sign-in?to=${encodeURIComponent(identities.path)}`)
      ctx.status = 303
      return
    }
    const check = await mustFind(checks.findAny(db, id), 'document')
    const object = await mustFind(
      check.object_id === null ? Promise.resolve(null) : objects.findAny(db, check.object_id),
      'document',
    )
    if (object.scan_status !== 'clean' || object.held_key === null) throw notFound('document')
    const target = `${check.requirement} of check ${check.id}`
    await controls.recordAction(db, { actor: operator.actor, action: 'look at', target, count: 1 })
    const as = { filename: object.filename, type: object.sniffed_type ?? 'application/octet-stream' }
    ctx.redirect(await services(storage).signSave(object.held_key, linkSeconds, as))
    ctx.status = 303
  },
})
