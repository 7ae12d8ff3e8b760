import { Readable } from 'node:stream'
import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/import-rows.ts'
import type { Kind } from '#sql/email/imports.ts'
import * as imports from '#sql/email/imports.ts'
import { everything, whereOf } from '#sql/filters.ts'
import { type AnyCall, requireMember } from '../../http/dashboard/admit.ts'
import { formPage, page, shared } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField } from '../../http/html/form.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { consentLines, create as importConsents } from '../consents.ts'
import { readImportCsv } from '../imports/csv.ts'
import { linesOf } from '../imports.ts'
import { imported as importSuppressions, suppressionLines } from '../suppressions.ts'
import { section as contactSection } from './contacts.ts'
import { section as suppressionSection } from './suppressions.ts'

const kinds = {
  suppressions: {
    ask: importSuppressions,
    section: suppressionSection,
    title: 'Import suppressions',
    hint: 'The first line has the column names: email, reason, detail and created_at. Only email is required.',
    note: 'Nothing is sent to these addresses. Existing suppressions do not change.',
  },
  consents: {
    ask: importConsents,
    section: contactSection,
    title: 'Import consents',
    hint: 'The first line has the column names: email, source, given_at, ip, text_version, topics and name. The first three are required.',
    note: 'New contacts are unconfirmed. An operator can vouch for the list.',
  },
} as const

const importForm = (kind: Kind, path: string) =>
  formPage({
    path,
    summary: kinds[kind].title,
    section: kinds[kind].section,
    permission: 'areas:write',
    formBytes: 8 * 1024 * 1024,
    fields: z.object({ csv: z.string().max(4 * 1024 * 1024) }),
    async view({ member, filled, fault }) {
      const { section, title, hint, note } = kinds[kind]
      const main = html`${parentLink(section.title, section.path)}<h1>${title}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<div class="field" data-scripted hidden><label for="file">CSV file</label><input id="file" type="file" accept=".csv,text/csv" data-read-into="csv"><p class="hint">The file fills in the field below.</p></div>
${linesField(filled, { name: 'csv', label: 'CSV', required: true, rows: 10, hint: `${hint} Up to 20,000 rows and 4 MB.` })}
<p class="actions"><button>Start import</button> <a class="button plain" href="/app/email-imports">Earlier imports</a></p></form>
<p class="quiet">${note}</p>`
      return { title, main }
    },
    async submit({ ask, member, given }) {
      const { id } = await asFields(async () => {
        const body = await readImportCsv(kind)(given.csv, new URLSearchParams(), member.orgId)
        return await ask(kinds[kind].ask, { body }, z.object({ id: z.string() }))
      })
      return { to: `/app/email-imports/${id}` }
    },
  })

/** Gives the faults of the API the name of the field of the form. */
async function asFields<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400 || !Array.isArray(error.details)) throw error
    throw badRequest((error.details as Fault[]).map(({ issue }) => ({ field: 'form.csv', issue })))
  }
}

export const { show: askForSuppressions, submit: startSuppressions } = importForm(
  'suppressions',
  '/suppressions/import',
)
export const { show: askForConsents, submit: startConsents } = importForm('consents', '/contacts/consents/import')

export const overview = page({
  path: '/email-imports',
  summary: 'List imports of suppressions and consents',
  section: suppressionSection,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, query: { before } }) {
    const found = await imports.list(db, member.orgId, { where: everything, before, limit: perPage + 1 }, false)
    const { shown, older } = cutPage(found)
    const main = html`${parentLink('Suppressions', suppressionSection.path)}<h1>Imported lists</h1>
${shown.length === 0 ? emptyState('No imports of suppressions or consents yet.') : importTable(shown)}
${older('/app/email-imports')}`
    return { title: 'Imported lists', main }
  },
})

const importTable = (shown: readonly imports.Import[]): Html =>
  dataTable('Imported lists, newest first', shown, {
    List: ({ id, kind }) => html`<a href="/app/email-imports/${id}">${kind}</a>`,
    Status: ({ status }) => statusBadge(status),
    Rows: ['number', ({ rows }) => count(rows)],
    New: ['number', ({ imported }) => count(imported)],
    Invalid: ['number', ({ invalid }) => count(invalid)],
    Created: ({ created_at }) => ago(created_at),
  })

const params = z.object({ import_id: pathId('import') })

const mostShown = 100

export const read = page({
  path: '/email-imports/{import_id}',
  summary: 'Show an import of suppressions or consents',
  section: suppressionSection,
  permission: 'log:read',
  params,
  async view({ db, member, params }) {
    const found = await mustFind(imports.find(db, member.orgId, params.import_id, false), 'import')
    const { section, title } = kinds[found.kind]
    const where = whereOf(rows.filters, { outcome: 'invalid' })
    const invalid = await rows.list(db, found.id, { where, before: undefined, limit: mostShown })
    const main = html`${parentLink(section.title, section.path)}<h1>${title}: results</h1>
<dl class="facts"><div><dt>Status</dt><dd>${statusBadge(found.status)}</dd></div><div><dt>Started</dt><dd>${formatInstant(found.created_at)} UTC</dd></div>${found.vouch_reason !== null && html`<div><dt>Confirmed by the operator</dt><dd>${found.vouch_reason}</dd></div>`}</dl>
${found.reason && html`<p class="fault">${found.reason}</p>`}
${renderTiles([
  ['Rows', found.rows],
  ['New', found.imported],
  ['Existing', found.existing],
  ['Invalid', found.invalid],
])}
<p class="actions"><a class="button" href="/app/email-imports/${found.id}/results.csv">Download results</a>${(found.status === 'queued' || found.status === 'running') && html` <a class="button" href="/app/email-imports/${found.id}">Refresh</a>`}</p>
<section><h2>Invalid rows</h2>${invalid.length === 0 ? emptyState('No invalid rows.') : invalidTable(invalid)}</section>`
    return { title: `${title}: results`, main }
  },
})

const invalidTable = (invalid: readonly rows.ImportRow[]): Html =>
  dataTable(`The first ${mostShown} invalid rows`, invalid, {
    Line: ['', ({ line }) => line],
    Reason: ['break wide', ({ reason }) => reason],
  })

/** Declares a CSV file for signed-in members. */
const file = <Params extends z.ZodObject>(
  path: string,
  summary: string,
  params: Params,
  lines: (call: { db: AnyCall['db']; orgId: string; params: z.output<Params> }) => Promise<AsyncIterable<string>>,
) =>
  route({
    ...shared,
    method: 'GET',
    path,
    summary,
    params: params as z.ZodObject,
    raw: 'text/csv',
    async handle(call) {
      const allowed = await requireMember(call, { permission: 'log:read' })
      if (!allowed) return
      const { db, member } = allowed
      const made = await lines({ db, orgId: member.orgId, params: call.params as z.output<Params> })
      call.ctx.type = 'text/csv; charset=utf-8'
      call.ctx.set('content-disposition', `attachment; filename="${path.split('/').at(-1)}"`)
      call.ctx.body = Readable.from(made)
    },
  })

export const resultFile = file(
  '/email-imports/{import_id}/results.csv',
  'Download the results of an import',
  params,
  async ({ db, orgId, params: { import_id } }) => {
    await mustFind(imports.find(db, orgId, import_id, false), 'import')
    return linesOf(db, import_id)
  },
)

export const suppressionFile = file(
  '/suppressions/suppressions.csv',
  'Export suppressions',
  z.object({}),
  async ({ db, orgId }) => suppressionLines(db, orgId),
)

export const consentFile = file(
  '/contacts/consents/consents.csv',
  'Export consents',
  z.object({}),
  async ({ db, orgId }) => consentLines(db, orgId, false),
)
