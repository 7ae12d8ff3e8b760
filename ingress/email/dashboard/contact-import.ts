import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import * as asking from '#sql/email/contacts/asking.ts'
import { askAgainDays } from '#sql/email/contacts/past-asked.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { counted } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { create } from '../contact-imports.ts'
import { readContactsCsv } from '../contacts/csv.ts'
import { create as reconfirm } from '../reconfirmations.ts'
import { section } from './contacts.ts'

const Imported = z.object({
  imported: z.int(),
  existing: z.int(),
  invalid: z.int(),
  errors: z.array(z.object({ line: z.int(), issue: z.string() })),
})

export const { show: askForFile, submit: importFile } = formPage({
  path: '/contacts/import',
  summary: 'Import contacts from a CSV file',
  section,
  permission: 'areas:write',
  formBytes: 8 * 1024 * 1024,
  fields: z.object({ csv: z.string().max(4 * 1024 * 1024), map: z.string().max(10_000).default('') }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Contacts', section.path)}<h1>Import contacts</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<div class="field" data-scripted hidden><label for="file">CSV file</label><input id="file" type="file" accept=".csv,text/csv" data-read-into="csv"><p class="hint">The file fills in the field below.</p></div>
${linesField(filled, { name: 'csv', label: 'CSV', required: true, rows: 10, hint: 'The first line has the column names. The column email is required. Up to 4 MB.' })}
${linesField(filled, { name: 'map', label: 'Other columns', few: true, hint: 'Optional. One column per line, with its field. For example, Full name:name, Groups:tags, City:attributes.city or Orders:attributes.orders:number.' })}
<button>Import contacts</button></form>
<p class="quiet">New contacts are unconfirmed. Existing contacts keep their state.</p>`
    return { title: 'Import contacts', main }
  },
  async submit({ ask, member, given }) {
    const query = new URLSearchParams(
      given.map.split('\n').flatMap((line) => (line.trim() ? [['map', line.trim()] as [string, string]] : [])),
    )
    const body = await asFields(() => readContactsCsv(given.csv, query, member.orgId))
    const found = await asFields(() => ask(create, { body }, Imported))
    const main = html`${parentLink('Contacts', section.path)}<h1>Contacts imported</h1>
${renderTiles([
  ['New', found.imported],
  ['Existing', found.existing],
  ['Invalid', found.invalid],
])}
${
  found.errors.length > 0 &&
  html`<section><h2>Invalid lines</h2>${dataTable('Invalid lines', found.errors, {
    Line: ['', ({ line }) => line],
    Issue: ['break wide', ({ issue }) => issue],
  })}</section>`
}
<p class="actions"><a class="button primary" href="/app/contacts/reconfirm">Ask contacts to confirm</a> <a class="button" href="/app/contacts?status=unconfirmed">Show unconfirmed contacts</a> <a class="button" href="/app/contacts/import">Import another file</a></p>`
    return { view: { title: 'Contacts imported', main } }
  },
})

/** Gives the faults of the API the names of the fields of the form. */
async function asFields<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400 || !Array.isArray(error.details)) throw error
    throw badRequest(
      (error.details as Fault[]).map(({ field, issue }) => ({
        field: field.startsWith('query') ? 'form.map' : 'form.csv',
        issue,
      })),
    )
  }
}

const Round = z.object({ contacts: z.int(), from_email: z.string() })

export const { show: askToConfirm, submit: confirmationsSent } = formPage({
  path: '/contacts/reconfirm',
  summary: 'Ask unconfirmed contacts to confirm',
  section,
  permission: 'areas:write',
  fields: z.object({ from_email: z.string().max(400), from_name: z.string().max(400), subject: z.string().max(2_000) }),
  async view({ db, member, filled, fault }) {
    const waiting = await asking.countUnasked(db, member.orgId, false)
    const main = html`${parentLink('Contacts', section.path)}<h1>Ask contacts to confirm</h1>${renderFault(fault)}
<p class="lead">${counted(waiting, 'unconfirmed contact')} will get one message with a link to confirm. Millrace skips suppressed contacts and contacts asked within ${askAgainDays} days.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'from_email', label: 'From', type: 'email', hint: 'Optional. By default, hello@ your oldest verified domain.' })}
${textField(filled, { name: 'from_name', label: 'Sender name', otherwise: member.orgName })}
${textField(filled, { name: 'subject', label: 'Subject', hint: 'Optional.' })}
<p class="actions"><button>Send requests</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    return { title: 'Ask contacts to confirm', main }
  },
  async submit({ ask, given }) {
    const set = Object.entries(given).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]]))
    const { contacts, from_email } = await ask(reconfirm, { body: Object.fromEntries(set) }, Round)
    return {
      to: '/app/contacts?status=unconfirmed',
      told: `Requests to ${counted(contacts, 'contact')} accepted, from ${from_email}.`,
    }
  },
})
