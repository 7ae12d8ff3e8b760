import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/erp/reconcilers.ts'
import { everything } from '#sql/filters.ts'
import type { Services } from '../../http/container.ts'
import { formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { copyable, emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, openUrl, remove } from '../reconcilers.ts'
import { section, watchesPath } from './section.ts'

const shared = { section, permission: 'areas:write' } as const

const newPath = `${section.path}/reconcilers/new`

interface Viewing {
  db: DatabasePool
  member: Member
  services: Services
  /** Origin of the page. */
  host: string
}

/** Shows the reconciliation URLs. Only members who can edit see the URLs, because a URL gives access. */
export async function reconcilersPart({ db, member, services, host }: Viewing, canEdit: boolean): Promise<Html> {
  const page = { where: everything, before: undefined, limit: rows.maxReconcilers }
  const found = await rows.list(db, member.orgId, page)
  const add = canEdit && linkButton(newPath, 'Create a URL')
  const urlOf = (row: rows.Reconciler) => openUrl(row, { services, origin: host })
  return html`<section aria-labelledby="urls"><div class="title"><h2 id="urls">Reconciliation URLs</h2>${add}</div>
<p>Enter a URL in OpenRefine to match a table with the registry.</p>
${
  found.length === 0
    ? emptyState('Reconciliation URLs appear here.')
    : dataTable('Reconciliation URLs', found, {
        Name: ['break', ({ name }) => name],
        URL: canEdit && ['break', (one) => shownUrl(urlOf(one), one.name)],
        'Last used': ({ last_used_at }) => (last_used_at ? ago(last_used_at) : quiet('never')),
        Created: ({ created_at }) => ago(created_at),
        Actions: canEdit && [
          'actions',
          ({ id, name }) =>
            html`<a class="button plain" href="${section.path}/reconcilers/${id}/delete">Delete<span class="unseen"> ${name}</span></a>`,
        ],
      })
}
${apiCall(services, 'erp.reconcilers.create', { body: { name: 'OpenRefine' } })}</section>`
}

const shownUrl = (url: string | null, name: string): Html =>
  url === null ? quiet('cannot be decrypted') : copyable(url, `the URL of ${name}`)

const Made = z.object({ name: z.string(), url: z.string() })

export const { show: ask, submit: add } = formPage({
  ...shared,
  path: '/registry/reconcilers/new',
  summary: 'Create a reconciliation URL',
  fields: z.object({ name: z.string().trim() }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Watched companies', watchesPath)}<h1>Create a reconciliation URL</h1>${renderFault(fault)}
<p class="lead">OpenRefine and similar programs match companies with this URL. They need no API key.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, OpenRefine of the finance team.' })}
<p class="actions"><button class="primary">Create URL</button> <a class="button plain" href="${watchesPath}">Cancel</a></p></form>`
    return { title: 'Create a reconciliation URL', main }
  },
  async submit({ ask: call, given }) {
    const { name, url } = await call(create, { body: given }, Made)
    const main = html`${parentLink('Watched companies', watchesPath)}<h1 class="break">${name}</h1>
<section class="result" role="status"><h2>Reconciliation URL</h2><p class="break">${copyable(url, 'the URL')}</p>
<p class="hint">Anyone who has the URL can search the registry. If it becomes known, delete it.</p></section>
<p class="actions"><a class="button" href="${watchesPath}">Show all URLs</a></p>`
    return { view: { title: name, main } }
  },
})

export const { show: askToDelete, submit: drop } = formPage({
  ...shared,
  path: '/registry/reconcilers/{id}/delete',
  summary: 'Delete a reconciliation URL',
  params: z.object({ id: pathId('reconciler') }),
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { name } = await mustFind(rows.find(db, member.orgId, params.id), 'reconciler')
    const main = html`${parentLink('Watched companies', watchesPath)}<h1>Delete reconciliation URL?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The URL ${name} stops working immediately.</p>
<p class="actions"><button class="grave">Delete URL</button> <a class="button plain" href="${watchesPath}">Cancel</a></p></form>`
    return { title: 'Delete reconciliation URL', main }
  },
  async submit({ ask: call, params }) {
    await call(remove, { params }, z.unknown())
    return { to: watchesPath, told: 'Reconciliation URL deleted.' }
  },
})
