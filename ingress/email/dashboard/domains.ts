import { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import * as domains from '#sql/email/domains.ts'
import { reportAddress } from '#tasks/email/rules/aggregate/report-address.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { create, remove, verify } from '../domains.ts'

export const section = {
  title: 'Domains',
  path: '/app/domains',
  group: 'Email',
  guide: 'email',
  permission: 'domains:read',
} as const satisfies DashboardSection

const shownAtOnce = 200

export const overview = page({
  path: '/domains',
  summary: 'List sending domains',
  section,
  permission: 'domains:read',
  async view({ db, member, may }) {
    const found = await domains.list(db, member.orgId, { limit: shownAtOnce, before: undefined })
    const add = may('domains:write') && html`<a class="button primary" href="/app/domains/new">Add a domain</a>`
    const main = html`<div class="title"><h1>Domains</h1>${add}</div>
${found.length === 0 ? emptyState('No domains yet. Millrace sends email only from your verified domains.', 'Add a domain and publish its DNS records. You can verify the domain immediately, or wait for the hourly check.', add) : domainTable(found)}`
    return { title: 'Domains', main }
  },
})

const domainTable = (found: readonly domains.EmailDomain[]): Html =>
  dataTable('Domains', found, {
    Domain: ({ domain }) => html`<a href="/app/domains/${domain}">${domain}</a>`,
    Status: ({ status }) => stateOf(status),
    'Last check': ({ checked_at }) => ago(checked_at),
    Added: ({ created_at }) => ago(created_at),
  })

export const stateOf = (status: domains.EmailDomain['status']): Html => statusBadge(status)

export const { show: askForDomain, submit: add } = formPage({
  path: '/domains/new',
  summary: 'Add a domain',
  section,
  permission: 'domains:write',
  fields: z.object({ domain: z.string() }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Domains', section.path)}<h1>Add a domain</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'domain', label: 'Domain', required: true, hint: 'For example, example.com. The next page shows the DNS records to publish.' })}
<button>Add domain</button></form>`
    return { title: 'Add a domain', main }
  },
  async submit({ ask, given }) {
    const { domain } = await ask(create, { body: { domain: given.domain.trim() } }, z.object({ domain: z.string() }))
    return {
      to: `/app/domains/${domain}`,
      told: `Domain ${domain} added. Publish its DNS records, then verify the domain.`,
    }
  },
})

const params = z.object({ domain: Domain })

export const read = page({
  path: '/domains/{domain}',
  summary: 'Show a domain and its DNS records',
  section,
  permission: 'domains:read',
  params,
  async view({ db, member, may, region, params: { domain } }) {
    const row = await mustFind(domains.find(db, member.orgId, domain), 'domain')
    const main = html`${parentLink('Domains', section.path)}<div class="title"><h1>${row.domain}</h1>${
      may('domains:write') && actionButton(member, `/app/domains/${row.domain}/verify`, 'Verify now')
    }</div>
${await region(`domain/${row.domain}`)}
${may('domains:write') && html`<p class="actions spaced"><a class="button" href="/app/domains/${row.domain}/tracking">Change tracking</a></p>`}
<section><h2>Reports</h2><p class="lead">Receiving servers can report to <span class="break">${reportAddress(row)}</span> which sources send email from your domain.</p><p class="actions"><a class="button" href="/app/domains/${row.domain}/reports">Show reports</a></p></section>
${may('domains:write') && html`<section><h2>Delete</h2><p class="lead">The keys of the domain are also deleted. Undelivered messages from this domain fail.</p><a class="button" href="/app/domains/${row.domain}/remove">Delete ${row.domain}</a></section>`}`
    return { title: row.domain, main }
  },
})

export const look = action({
  path: '/domains/{domain}/verify',
  summary: 'Verify a domain',
  permission: 'domains:write',
  params,
  back: ({ domain }) => `/app/domains/${domain}`,
  async perform({ ask, params: { domain } }) {
    const { status } = await ask(verify, { params: { domain } }, z.object({ status: z.string() }))
    return {
      to: `/app/domains/${domain}`,
      told: status === 'verified' ? `Domain ${domain} verified.` : 'Some records were not found.',
    }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/domains/{domain}/remove',
  summary: 'Delete a domain',
  section,
  permission: 'domains:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { domain }, fault }) {
    const row = await mustFind(domains.find(db, member.orgId, domain), 'domain')
    const main = html`${parentLink(row.domain, `/app/domains/${row.domain}`)}<h1>Delete ${row.domain}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The keys of the domain are also deleted. Undelivered messages from this domain fail. You cannot send from it until you add and verify it again.</p>
<p class="actions"><button class="grave">Delete domain</button> <a class="button plain" href="/app/domains/${row.domain}">Cancel</a></p></form>`
    return { title: `Delete ${row.domain}`, main }
  },
  async submit({ ask, params: { domain } }) {
    await ask(remove, { params: { domain } }, z.unknown())
    return { to: section.path, told: `Domain ${domain} deleted.` }
  },
})
