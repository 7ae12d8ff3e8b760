import { z } from 'zod'
import { whereOf } from '#sql/filters.ts'
import * as requests from '#sql/intake/requests.ts'
import * as rows from '#sql/intake/sources.ts'
import { createSourceSeal } from '#tasks/intake/rules/source-secrets.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { signingSecret } from '../../http/services.ts'
import { present } from '../source-view.ts'
import { requestTable } from './requests.ts'
import { providerTitles, section, sourcePath, sourcesPath } from './section.ts'
import { setupSteps } from './steps.ts'

/** Number of requests that the page of a source shows. */
const shownRequests = 10

export const one = page({
  path: '/intake/sources/{source_id}',
  summary: 'Show a source of webhooks',
  section,
  permission: 'log:read',
  params: z.object({ source_id: pathId('source') }),
  async view({ db, member, may, host, services, params: { source_id: id } }) {
    const found = await mustFind(rows.find(db, member.orgId, id), 'source')
    const shown = present(found, { origin: host, seal: createSourceSeal(services(signingSecret)) })
    const where = whereOf(requests.filters, { source_id: id })
    const latest = await requests.list(db, member.orgId, { where, before: undefined, limit: shownRequests })
    const write = may('areas:write')
    const main = html`${parentLink('Sources', sourcesPath)}<div class="title"><h1>${found.name}</h1>${write && buttons(found, member)}</div>
${!shown.has_secret && html`<p class="fault" role="alert">This source has no secret. Millrace rejects its requests until you set the secret.</p>`}
<dl class="facts">${factsOf(found).map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>`)}</dl>
<section><h2>URL</h2><p class="lead">Enter this URL at ${hasName(found.provider) ? providerTitles[found.provider] : 'the provider'}. Millrace rejects requests without a valid signature.</p>
<p class="break">${shown.url === null ? quiet('The URL cannot be decrypted. Replace it.') : copyable(shown.url as string, 'the URL')}</p>
${setupSteps(found.provider)}</section>
<section><h2>Latest requests</h2>${latest.length === 0 ? html`<p class="quiet">Received requests appear here.</p>` : requestTable(latest)}
<p><a href="${section.path}?source_id=${id}">All requests of this source</a></p></section>
${found.hmac && html`<section><h2>Signature</h2><pre tabindex="0" aria-label="Signature settings">${JSON.stringify(found.hmac, null, 2)}</pre></section>`}
${write && html`<section><h2>Actions</h2><div class="actions spaced">${found.forward && html`<a class="button" href="${sourcePath(id)}/replay">Forward requests again</a> `}<a class="button" href="${sourcePath(id)}/secret">Replace secret</a> ${actionButton(member, `${sourcePath(id)}/url`, 'Replace URL')} ${actionButton(member, `${sourcePath(id)}/remove`, 'Delete source', { grave: true })}</div></section>`}`
    return { title: found.name, main }
  },
})

const buttons = ({ id, status }: rows.Source, member: Member): Html =>
  html`<div class="actions">${status === 'active' ? actionButton(member, `${sourcePath(id)}/pause`, 'Pause source') : status === 'paused' && actionButton(member, `${sourcePath(id)}/resume`, 'Resume source')} <a class="button" href="${sourcePath(id)}/edit">Edit source</a></div>`

const hasName = (provider: rows.Provider): boolean => provider !== 'hmac' && provider !== 'standard'

const until = (at: Date | null): Content =>
  at && at > new Date() ? html`valid until ${formatInstant(at)} UTC` : quiet('none')

const factsOf = (one: rows.Source): (readonly [string, Content])[] => [
  ['Provider', providerTitles[one.provider]],
  ['Status', statusBadge(one.status)],
  ['Forwarded to', one.forward ? html`<span class="break">${one.forward.url}</span>` : quiet('only stored')],
  ['Event types', one.event_types.length > 0 ? one.event_types.join(', ') : 'all'],
  ...(Object.keys(one.filter).length > 0
    ? [['Filter', html`<code class="break">${JSON.stringify(one.filter)}</code>`] as const]
    : []),
  ['Repeated events', one.dedupe ? 'forwarded once' : 'forwarded each time'],
  ['Invalid signatures', count(one.rejected)],
  ['Previous secret', until(one.previous_until)],
  ['Previous URL', until(one.previous_token_until)],
  ['Created', ago(one.created_at)],
]
