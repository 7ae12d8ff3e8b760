import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as imports from '#sql/moving/imports.ts'
import * as apps from '#sql/push/apps.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, selectField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { secretField } from '../../http/html/secret-field.ts'
import { create } from '../imports.ts'
import { providerNames } from './imports.ts'
import { section } from './section.ts'

const fileParts = { suppressions: 'Suppressions', contacts: 'Contacts', devices: 'Devices' } as const

export const { show: ask, submit: start } = formPage({
  path: '/moving/new',
  summary: 'Start an import from another provider',
  section,
  permission: 'areas:write',
  formBytes: 16 * 1024 * 1024,
  fields: z.object({
    provider: imports.Provider,
    api_key: z.string().trim().max(500).default(''),
    part: z.enum(['', 'suppressions', 'contacts', 'devices']).default(''),
    csv: z.string().default(''),
    app_id: z.string().default(''),
  }),
  async view({ db, member, filled, fault }) {
    const found = await apps.list(db, member.orgId, { only: undefined, before: undefined, limit: 100 })
    const main = html`${parentLink('Imports', section.path)}<h1>Start an import</h1>${renderFault(fault)}
<p class="lead">Millrace first checks what can be imported. Nothing is created until you apply the import.</p>
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'provider', label: 'Provider', options: Object.entries(providerNames) })}
${secretField(filled, { name: 'api_key', label: 'API key of the provider', hint: 'Leave it blank to use a file. For Mux, enter the token ID and the token secret with a colon between them. The key is deleted when the import ends.' })}
${selectField(filled, { name: 'part', label: 'Content of the file', options: [['', 'No file'], ...Object.entries(fileParts)] })}
<div class="field" data-scripted hidden><label for="file">CSV file</label><input id="file" type="file" accept=".csv,text/csv" data-read-into="csv"><p class="hint">The file fills in the field below.</p></div>
${linesField(filled, { name: 'csv', label: 'CSV', rows: 6, hint: 'Optional. An export of the provider, with up to 20,000 rows and 8 MB.' })}
${selectField(filled, { name: 'app_id', label: 'Push app', hint: 'Only for devices from OneSignal.', options: [['', 'No app'], ...found.map(({ id, name }): [string, string] => [id, name])] })}
<p class="actions"><button class="primary">Check import</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    return { title: 'Start an import', main }
  },
  async submit({ ask: call, given }) {
    if ((given.api_key === '') === (given.csv === ''))
      throw badRequest([{ field: 'form.api_key', issue: 'or a CSV file is required. Enter one of them.' }])
    const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
    const { id } = await ofForm(() => call(create, { body: set }, z.object({ id: Id })))
    return { to: `${section.path}/${id}`, told: 'Import started. Refresh the page to see its result.' }
  },
})

/** Gives the faults of the API the names of the fields of the form. */
async function ofForm<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400 || !Array.isArray(error.details)) throw error
    const faults = error.details as Fault[]
    throw badRequest(
      faults.map(({ field, issue }) => ({
        field: field
          .replace(/^body\./, 'form.')
          .split('.', 2)
          .join('.'),
        issue,
      })),
    )
  }
}
