import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything, whereOf } from '#sql/filters.ts'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { apply, cancel } from '../imports.ts'
import { section } from './section.ts'

export const providerNames: Readonly<Record<imports.Provider, string>> = {
  resend: 'Resend',
  postmark: 'Postmark',
  sendgrid: 'SendGrid',
  onesignal: 'OneSignal',
  mux: 'Mux',
}

export const overview = page({
  path: '/moving',
  summary: 'List imports from other providers',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await imports.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const start = (primary: boolean) =>
      may('areas:write') && linkButton(`${section.path}/new`, 'Start an import', { primary })
    const main = html`<div class="title"><h1>Imports</h1>${start(true)}</div>
<p class="lead">Import templates, suppressions, contacts, devices and videos from your current provider.</p>
${shown.length === 0 ? emptyState('No imports yet.', 'Imports from other providers appear here.', start(false)) : importTable(shown)}
${older(section.path)}`
    return { title: 'Imports', main }
  },
})

const importTable = (shown: readonly imports.Import[]): Html =>
  dataTable('Imports from other providers, newest first', shown, {
    Provider: ({ id, provider }) => html`<a href="${section.path}/${id}">${providerNames[provider]}</a>`,
    Status: ({ status }) => statusBadge(status),
    Parts: ['break', ({ parts }) => parts.join(', ')],
    Found: ['number', ({ found }) => count(found)],
    New: ['number', ({ imported }) => count(imported)],
    Invalid: ['number', ({ invalid }) => count(invalid)],
    Created: ({ created_at }) => ago(created_at),
  })

const params = z.object({ import_id: pathId('import') })

const mostShown = 100

export const { show: read, submit: change } = formPage({
  path: '/moving/{import_id}',
  summary: 'Show an import from another provider',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ action: z.enum(['apply', 'cancel']) }),
  async view({ db, member, params: { import_id }, fault }) {
    const found = await mustFind(imports.find(db, member.orgId, import_id), 'import')
    const where = whereOf(rows.filters, { outcome: 'invalid' })
    const invalid = await rows.list(db, found.id, { where, before: undefined, limit: mostShown })
    const title = `Import from ${providerNames[found.provider]}`
    const main = html`${parentLink('Imports', section.path)}<h1>${title}</h1>${renderFault(fault)}
<dl class="facts"><div><dt>Status</dt><dd>${statusBadge(found.status)}</dd></div><div><dt>Parts</dt><dd>${found.parts.join(', ')}</dd></div><div><dt>Started</dt><dd>${formatInstant(found.created_at)} UTC</dd></div></dl>
${found.reason && html`<p class="fault">${found.reason}</p>`}
<section>${renderTiles([
      ['Found', found.found],
      ['New', found.imported],
      ['Existing', found.existing],
      ['Invalid', found.invalid],
    ])}
${actions(found, tokenField(member))}</section>
<section><h2>Objects by part</h2>${countTable(await rows.countParts(db, found.id))}</section>
<section><h2>Invalid objects</h2>${invalid.length === 0 ? emptyState('No invalid objects.') : invalidTable(invalid)}</section>`
    return { title, main }
  },
  async submit({ ask, params: { import_id: id }, given: { action } }) {
    await ask(action === 'apply' ? apply : cancel, { params: { id } }, z.unknown())
    return { to: `${section.path}/${id}`, told: action === 'apply' ? 'Import started.' : 'Import cancelled.' }
  },
})

/** Renders the buttons that the status allows. */
function actions({ id, status, found, invalid }: imports.Import, token: Html): Html | false {
  if (['finished', 'failed', 'cancelled'].includes(status)) return false
  const button = (action: string, text: string, style: string) =>
    html`<form method="post">${token}<input type="hidden" name="action" value="${action}"><button class="${style}">${text}</button></form>`
  const note =
    status === 'ready' &&
    html`<p>Millrace has checked ${count(found)} objects. ${count(found - invalid)} can be imported. Nothing has been created yet.</p>`
  return html`${note}<div class="actions">${status === 'ready' && button('apply', 'Apply import', 'primary')}${status !== 'ready' && html`<a class="button" href="${section.path}/${id}">Refresh</a>`}${button('cancel', 'Cancel import', 'plain')}</div>`
}

const countTable = (counted: readonly rows.Counted[]): Html =>
  counted.length === 0
    ? emptyState('Objects appear here when they have been read.')
    : dataTable('Objects by part and result', counted, {
        Part: ({ part }) => part,
        Result: ({ outcome }) => outcome ?? quiet('waiting'),
        Objects: ['number', ({ rows }) => count(rows)],
        'With issues': ['number', ({ issues }) => count(issues)],
      })

const invalidTable = (invalid: readonly rows.RowView[]): Html =>
  dataTable(`The first ${mostShown} invalid objects`, invalid, {
    Object: ['break', ({ label }) => label],
    Part: ({ part }) => part,
    Reason: ['break wide', (row) => html`${row.reason ?? ''}${issueList(row)}`],
  })

const issueList = ({ issues }: rows.RowView): Html | false =>
  issues.length > 0 &&
  html`<ul>${issues.map(({ field, line, text, issue }) => html`<li>${field}${line !== null && html`, line ${line}`}: <code>${text}</code> ${issue}</li>`)}</ul>`
