import { isIP } from 'node:net'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import { checkKey, type RequestFacts, type Verdict } from '#tasks/account/rules/ask-key.ts'
import { page } from '../../http/dashboard/page.ts'
import { docsHref } from '../../http/hosts.ts'
import { type FormState, optionalField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { catalogue } from '../../http/services.ts'
import { codeSpans } from './fields.ts'
import { section } from './keys.ts'

const word = optionalField(z.string().trim().max(300))

const Query = z.object({
  operation: word,
  from: word,
  app_id: word,
  site_id: word,
  tenant_id: word,
  origin: word,
  network: word,
})

export const ask = page({
  path: '/keys/{id}/ask',
  summary: 'Check whether a key can call an operation',
  section,
  permission: 'keys:read',
  params: z.object({ id: pathId('key') }),
  query: Query,
  async view({ db, member, params: { id }, query: { operation, ...facts }, services }) {
    const key = await mustFind(keys.find(db, member.orgId, id), 'key')
    const all = services(catalogue)
    const asked = all.find((one) => one.id === operation)
    const faults: Record<string, string> = {}
    if (operation && !asked) faults.operation = 'must be the ID of an operation'
    if (facts.network && isIP(facts.network) === 0) faults.network = 'must be an IP address'
    const given = Object.fromEntries(Object.entries({ operation, ...facts }).filter(([, value]) => value !== undefined))
    const filled = { given: given as FormState['given'], faults }
    const verdict = asked && Object.keys(faults).length === 0 ? checkKey(key, asked, facts) : undefined
    const main = html`${parentLink(key.name, `/app/keys/${id}`)}<h1>Check ${key.name}</h1>
<p class="lead">Checks whether the status, scopes, locks and networks of the key allow the operation. The operation is not called.</p>
${verdict && asked && answerOf(verdict, asked.id)}
<form class="form" method="get">
${textField(filled, { name: 'operation', label: 'Operation', required: true, hint: html`For example, <code>email.messages.create</code>. The <a href="${docsHref}">documentation</a> lists all operations.` })}
<details${Object.keys(given).length > 1 && html` open`}><summary>Request details</summary>
${factFields.map(([name, label, hint]) => textField(filled, { name, label, hint }))}</details>
<button>Check operation</button></form>`
    return { title: `Check ${key.name}`, main }
  },
})

const factFields: readonly (readonly [keyof RequestFacts, string, string])[] = [
  ['from', 'Sender', 'Optional. Sender address or domain.'],
  ['app_id', 'App', 'Optional. ID of the app that receives the push message.'],
  ['site_id', 'Site', 'Optional. ID of the site.'],
  ['tenant_id', 'Tenant', 'Optional. Tenant that owns the files.'],
  ['origin', 'Origin', 'Optional. Origin of the web page that sends the request.'],
  ['network', 'IP address', 'Optional. IP address that sends the request.'],
]

const answerOf = (
  { allowed, why, depends_on }: Verdict,
  operation: string,
): Html => html`<section class="verdict" role="status">
<p>${statusBadge(allowed ? 'accepted' : 'rejected', { shown: allowed ? 'Allowed' : 'Rejected' })} <code>${operation}</code></p>
${why.length > 0 && html`<ul>${why.map(({ kind, message }) => html`<li>${codeSpans(message)} <span class="quiet">${kind.replace('_', ' ')}</span></li>`)}</ul>`}
${depends_on.length > 0 && html`<p class="quiet">The result can also depend on: ${depends_on.join(', ')}.</p>`}</section>`
