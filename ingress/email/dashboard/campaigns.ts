import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { allMail } from '#sql/email/reach.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, update } from '../campaigns.ts'
import { campaignForm, campaignFormFields, toApiFields, toFormFields } from './campaign-form.ts'

export const section = {
  title: 'Campaigns',
  path: '/app/campaigns',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/campaigns',
  summary: 'List campaigns and their progress',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await campaigns.list(db, member.orgId, { before, limit: perPage + 1, reach: allMail })
    const { shown, older } = cutPage(found)
    const main = html`<div class="title"><h1>Campaigns</h1>${may('areas:write') && html`<a class="button primary" href="/app/campaigns/new">Create campaign</a>`}</div>
${shown.length === 0 ? emptyState('No campaigns yet.', 'A campaign sends one email to all confirmed contacts or to a segment.', may('areas:write') && linkButton('/app/campaigns/new', 'Create campaign')) : campaignTable(shown)}
${older(section.path)}`
    return { title: 'Campaigns', main }
  },
})

const campaignTable = (shown: readonly campaigns.CampaignSummary[]): Html =>
  dataTable('Campaigns', shown, {
    Name: (one) => html`<a href="/app/campaigns/${one.id}">${one.name}</a>`,
    Status: (one) => renderStatus(one),
    Subject: ['break wide', (one) => one.subject],
    Recipients: ['number', (one) => (one.started_at ? count(one.recipients) : '–')],
    Created: (one) => ago(one.created_at),
  })

export const renderStatus = ({ status, sandbox }: Pick<campaigns.Campaign, 'status' | 'sandbox'>): Html =>
  html`${statusBadge(status)}${sandbox && html` <span class="quiet">test</span>`}`

export const { show: askForCampaign, submit: add } = formPage({
  path: '/campaigns/new',
  summary: 'Create a campaign',
  section,
  permission: 'areas:write',
  fields: campaignFormFields,
  async view({ db, member, filled, fault }) {
    const main = html`${parentLink('Campaigns', section.path)}<h1>Create a campaign</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}${await campaignForm(db, member.orgId, filled)}
<button>Save draft</button></form>`
    return { title: 'New campaign', main }
  },
  async submit({ ask, given }) {
    const { id } = await ask(create, { body: toApiFields(given) }, z.object({ id: Id }))
    return { to: `/app/campaigns/${id}`, told: 'Draft saved. Nothing has been sent yet.' }
  },
})

export const { show: askForChanges, submit: change } = formPage({
  path: '/campaigns/{campaign_id}/edit',
  summary: 'Update a campaign',
  section,
  permission: 'areas:write',
  params: z.object({ campaign_id: pathId('campaign') }),
  fields: campaignFormFields,
  async view({ db, member, params, filled, fault }) {
    const found = await mustFind(campaigns.find(db, member.orgId, params.campaign_id), 'campaign')
    const main = html`${parentLink(found.name, `/app/campaigns/${found.id}`)}<h1>Edit ${found.name}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}${await campaignForm(db, member.orgId, filled, toFormFields(found))}
<button>Save campaign</button></form>`
    return { title: `Edit ${found.name}`, main }
  },
  async submit({ ask, params: { campaign_id: id }, given }) {
    await ask(update, { params: { id }, body: toApiFields(given) }, z.unknown())
    return { to: `/app/campaigns/${id}`, told: 'Campaign saved.' }
  },
})
