import * as checks from '#sql/identity/checks.ts'
import * as readings from '#sql/identity/readings.ts'
import { findRequirement } from '#tasks/identity/rules/catalogue.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'
import { readingSummary } from '../reading-summary.ts'

export const section = {
  title: 'Identity',
  path: '/app/identity',
  group: 'Trust',
  guide: 'identity',
  permission: 'contents:read',
} as const satisfies DashboardSection

const perPage = 100

export const requirementTitle = (requirement: string): string => findRequirement(requirement)?.title ?? requirement

export const overview = page({
  path: '/identity',
  summary: 'List documents that need a decision',
  section,
  permission: 'contents:read',
  async view({ db, may, member }) {
    const waiting = await checks.listWaitingForOrganisation(db, member.orgId, perPage)
    const read = await readings.listForObjects(
      db,
      waiting.flatMap(({ object_id }) => object_id ?? []),
    )
    const none = emptyState(
      'Documents that need a decision appear here.',
      may('areas:write') && html`<a href="${section.path}/new">Create a verification link</a> and send it to a person.`,
    )
    const main = html`<div class="title"><h1>Identity</h1>${may('areas:write') && html`<a class="button primary" href="${section.path}/new">Create a verification link</a>`}</div>
<p class="lead">Submitted documents without a decision, oldest first.</p>
${waiting.length === 0 ? none : waitingTable(waiting, read)}
${waiting.length === perPage && html`<p class="quiet">More documents appear after you decide on these.</p>`}`
    return { title: 'Identity', main }
  },
})

type Readings = ReadonlyMap<string, readings.Reading>

const waitingTable = (waiting: readonly checks.ScannedCheck[], read: Readings): Html =>
  dataTable('Documents that need a decision', waiting, {
    Requirement: [
      '',
      ({ id, requirement }) => html`<a href="${section.path}/${id}">${requirementTitle(requirement)}</a>`,
    ],
    Subject: ['break', ({ subject }) => subject || 'the organisation'],
    Data: ({ object_id }) => readingSummary(read.get(object_id ?? '')),
    Submitted: ({ updated_at }) => ago(updated_at),
  })
