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
import { dataTable } from '../http/html/data-table.ts'
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

const waitingTable = (waiting: readonly checks.WaitingCheck[], read: Readings): Html =>
  dataTable('Documents that need a decision', waiting, {
    Requirement: ['', titleOf],
    Organisation: ({ org }) => org,
    Subject: ['break', ({ subject }) => subject || 'the organisation'],
    Document: ['break', ({ id, filename }) => html`<a href="/ops/identity/${id}/document">${filename}</a>`],
    Data: ({ object_id }) => readingSummary(read.get(object_id ?? '')),
    Submitted: ({ updated_at }) => ago(updated_at),
    Actions: ['actions', decisionLinks],
  })

const titleOf = ({ requirement }: checks.WaitingCheck): string => findRequirement(requirement)?.title ?? requirement

function decisionLinks(one: checks.WaitingCheck): Html {
  const about = { check: one.id, object: one.object_id ?? '' }
  return html`${confirmLink('verify-identity', about, 'Verify document', titleOf(one))} ${confirmLink('reject-identity', about, 'Reject document', titleOf(one))}`
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
