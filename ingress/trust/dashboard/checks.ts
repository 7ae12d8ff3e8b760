import { z } from 'zod'
import { everything } from '#sql/filters.ts'
import * as listings from '#sql/trust/listings.ts'
import * as watches from '#sql/trust/watches.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { recentUse } from '../../http/dashboard/recent-use.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type FormState, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, renderFault, tokenField } from '../../http/html/parts.ts'
import { pathId } from '../../http/request/validate.ts'
import { check, UrlCheck } from '../check-url.ts'
import { remove as removeListing } from '../lists.ts'
import { remove as removeWatch } from '../watches.ts'
import { renderJudgement, renderVerdict } from './parts.ts'

export const section = {
  title: 'URL checks',
  path: '/app/trust',
  group: 'Trust',
  guide: 'trust',
} as const satisfies DashboardSection

type Call = Parameters<Parameters<typeof formPage>[0]['view']>[0]

export const { show, submit } = formPage({
  path: '/trust',
  summary: 'Check a URL; show listed hosts and watched URLs',
  section,
  fields: z.object({ url: z.string().trim(), expand: z.string().optional() }),
  view: async (call) => await view(call, call),
  async submit(call) {
    const { url, expand } = call.given
    const found = await call.ask(check, { body: { url, expand: expand !== undefined } }, UrlCheck)
    const given = { url, ...(expand !== undefined && { expand }) }
    return { view: await view(call, { filled: { given, faults: {} }, fault: undefined, found }) }
  },
})

async function view(
  { db, member, may, services }: Pick<Call, 'db' | 'member' | 'may' | 'services'>,
  { filled, fault, found }: { filled: FormState; fault: string | undefined; found?: z.output<typeof UrlCheck> },
) {
  const first = { where: everything, before: undefined, limit: perPage }
  const [hosts, watched] = await Promise.all([
    listings.list(db, member.orgId, first),
    watches.list(db, member.orgId, first),
  ])
  const writes = may('areas:write')
  const url = String(filled.given.url ?? 'http://malware.example/dropper.exe')
  const main = html`<h1>URL checks</h1>
<p class="lead">Check a URL against threat feeds before you open, publish or shorten it.</p>${renderFault(fault)}
<div class="try"><form class="form" method="post" action="${section.path}">${tokenField(member)}
${textField(filled, { name: 'url', label: 'URL', required: true, hint: 'For example, https://example.com/invoice.zip.' })}
<div class="field"><label><input type="checkbox" name="expand" value="yes"${filled.given.expand !== undefined && html` checked`}> Follow redirects and check each URL (up to 12 seconds)</label></div>
<p class="actions"><button class="primary">Check URL</button></p></form>
${found && renderJudgement(found)}</div>
${found?.hops && found.hops.length > 1 && hopTable(found.hops)}
${apiCall(services, 'trust.check-url.check', { body: { url, expand: false } })}
<section aria-labelledby="watches"><div class="title"><h2 id="watches">Watched URLs</h2>${writes && html`<a class="button" href="${section.path}/watches/new">Watch a URL</a>`}</div>
${watched.length === 0 ? emptyState('No watched URLs yet. Millrace checks watched URLs repeatedly and sends a webhook when a verdict changes.') : watchTable(watched, member, writes)}</section>
<section aria-labelledby="hosts"><div class="title"><h2 id="hosts">Allowed and denied hosts</h2>${writes && html`<a class="button" href="${section.path}/lists/new">Add a host</a>`}</div>
${hosts.length === 0 ? emptyState('No hosts yet. Checks return your entry for a host as policy.') : hostTable(hosts, member, writes)}</section>
${await recentUse(db, member.orgId, 'trust')}`
  return { title: 'URL checks', main }
}

type Hops = NonNullable<z.output<typeof UrlCheck>['hops']>

const hopTable = (hops: Hops): Html =>
  html`<section><h2>Redirects</h2>${dataTable('Redirects', hops, {
    URL: ['break', ({ url }) => url],
    Verdict: ({ verdict }) => renderVerdict(verdict),
    Status: ({ status }) => status ?? quiet('not requested'),
  })}</section>`

const watchTable = (rows: readonly watches.Watch[], member: Member, writes: boolean): Html =>
  dataTable('Watched URLs', rows, {
    URL: ['break', ({ url }) => url],
    Verdict: ({ verdict }) => renderVerdict(verdict),
    Note: ['break', ({ note }) => note ?? quiet('none')],
    Changed: ({ changed_at }) => ago(changed_at),
    Actions: writes && [
      'actions',
      ({ id, url }) => actionButton(member, `${section.path}/watches/${id}/remove`, 'Stop watching', { of: url }),
    ],
  })

const hostTable = (rows: readonly listings.Listing[], member: Member, writes: boolean): Html =>
  dataTable('Allowed and denied hosts', rows, {
    Host: ['break', ({ hostname }) => hostname],
    Policy: ({ policy }) => statusBadge(policy),
    Note: ['break', ({ note }) => note ?? quiet('none')],
    Added: ({ created_at }) => ago(created_at),
    Actions: writes && [
      'actions',
      ({ id, hostname }) => actionButton(member, `${section.path}/lists/${id}/remove`, 'Delete', { of: hostname }),
    ],
  })

const back = (): string => section.path

export const unwatch = action({
  path: '/trust/watches/{id}/remove',
  summary: 'Stop watching a URL',
  permission: 'areas:write',
  params: z.object({ id: pathId('watch') }),
  back,
  async perform({ ask, params }) {
    await ask(removeWatch, { params }, z.unknown())
    return { to: section.path, told: 'URL no longer watched.' }
  },
})

export const unlist = action({
  path: '/trust/lists/{id}/remove',
  summary: 'Delete a host from the list',
  permission: 'areas:write',
  params: z.object({ id: pathId('listing') }),
  back,
  async perform({ ask, params }) {
    await ask(removeListing, { params }, z.unknown())
    return { to: section.path, told: 'Host deleted from the list.' }
  },
})
