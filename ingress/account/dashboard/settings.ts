import { z } from 'zod'
import * as orgs from '#sql/account/orgs.ts'
import * as connections from '#sql/account/people/connections.ts'
import * as grants from '#sql/account/people/support-grants.ts'
import * as plans from '#sql/account/plans.ts'
import * as publishers from '#sql/account/publishers.ts'
import { NameInput, renameOrg } from '#tasks/account/rules/organisation.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago, amountOf, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { factList } from './fields.ts'
import { colourOf } from './settings-brand.ts'

export const section = {
  title: 'Settings',
  path: '/app/settings',
  group: 'Organisation',
  guide: 'dashboard',
} as const satisfies DashboardSection

export const overview = page({
  path: '/settings',
  summary: 'Show the organisation, plan and owner settings',
  section,
  async view({ db, member, may }) {
    const org = await mustFind(orgs.find(db, member.orgId), 'organisation')
    const publisher = await publishers.find(db, member.orgId)
    const plan = await plans.findForOrganisation(db, member.orgId)
    const main = html`<div class="title"><h1>${org.name}</h1>${may('settings') && html`<a class="button" href="/app/settings/name">Rename organisation</a>`}</div>
${factList([
  ['Plan', org.plan],
  ['Created', `${formatInstant(org.created_at)} UTC`],
  ['Brand colour', colourOf(publisher?.brand_color ?? null, may('settings'))],
  ['Organisation ID', html`<span class="id">${org.id}</span>`],
])}
${may('support') && supportPart(await grants.listRunning(db, member.orgId), member)}
${may('sso') && providerPart(await connections.list(db, member.orgId), member)}
<section><h2>Limits of the ${org.plan} plan</h2>${planTable(plan)}</section>`
    return { title: 'Settings', main }
  },
})

const supportPart = (running: readonly grants.Grant[], member: Member): Html => html`<section><h2>Operator access</h2>
<p class="lead">Operators of this installation can see your plan, usage, request counts, jobs with masked payloads, and items that need their review. They can read your request log only while you allow it. Your audit log records each view of the request log. Operators never see secrets.</p>
${
  running.length > 0 &&
  dataTable('Operator access', running, {
    Reason: ({ reason }) => reason,
    Expires: ({ expires_at }) => ago(expires_at),
    Actions: [
      'actions',
      ({ id }) => actionButton(member, `/app/settings/support/${id}/end`, 'End operator access', { grave: true }),
    ],
  })
}
<p><a class="button" href="/app/settings/support">Allow operator access</a></p></section>`

const providerPart = (
  all: Awaited<ReturnType<typeof connections.list>>,
  member: Member,
): Html => html`<section><h2>Identity providers</h2>
<p class="lead">Members with your email domains can sign in with your identity provider. Verify each domain in Millrace first.</p>
${
  all.length === 0
    ? emptyState('No identity providers.')
    : dataTable('Identity providers', all, {
        Issuer: (one) => html`${one.issuer} <span class="quiet">${one.client_id}</span>`,
        Domains: ['break', (one) => one.domains.join(', ')],
        'Default role of new members': (one) => one.default_role,
        'Other sign-in methods': (one) => (one.required ? 'none' : 'all'),
        'Email verification': (one) => emailVerification(one, member),
        Actions: [
          'actions',
          (one) =>
            actionButton(member, `/app/settings/providers/${one.id}/disconnect`, 'Disconnect', {
              of: one.issuer,
              grave: true,
            }),
        ],
      })
}
<p><a class="button" href="/app/settings/providers/new">Connect identity provider</a></p></section>`

const emailVerification = (
  { id, issuer, takes_unmarked_email }: Awaited<ReturnType<typeof connections.list>>[number],
  member: Member,
): Html => {
  const [now, other, words] = takes_unmarked_email
    ? (['By domain', 'claim', 'Require email_verified'] as const)
    : (['By email_verified', 'domain', 'Accept verified domains'] as const)
  const path = `/app/settings/providers/${id}/email-verification`
  return html`${now} ${actionButton(member, path, words, { of: issuer, fields: { by: other } })}`
}

const planTable = (plan: plans.Plan): Html =>
  dataTable('Plan limits', plans.limitNames, {
    Limit: ['', (name) => html`${plans.limits[name].description} <span class="quiet">${name}</span>`],
    Maximum: (name) =>
      plan[name] >= plans.uncountedRequests && plans.limits[name].unit === 'requests'
        ? 'not counted'
        : amountOf(plans.limits[name].unit, plan[name]),
  })

export const { show: askForName, submit: rename } = formPage({
  path: '/settings/name',
  summary: 'Rename the organisation',
  section,
  permission: 'settings',
  fields: z.object({ name: NameInput }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Settings', section.path)}<h1>Rename ${member.orgName}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: member.orgName })}
<button>Rename organisation</button></form>`
    return { title: 'Rename the organisation', main }
  },
  async submit({ db, doer, given }) {
    const { name } = await db.transaction((tx) => renameOrg(tx, doer, given.name))
    return { to: section.path, told: `Organisation renamed to ${name}.` }
  },
})
