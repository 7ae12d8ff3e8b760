import { z } from 'zod'
import { LocalTime } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { optionalField, splitCommaWords, textField } from '../../http/html/form.ts'
import { count, formatInstant } from '../../http/html/format.ts'
import { type Content, html } from '../../http/html/html.ts'
import { copyable, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { present } from '../campaigns/present.ts'
import { cancel, schedule, send, test } from '../campaigns.ts'
import { renderStatus, section } from './campaigns.ts'

const params = z.object({ campaign_id: pathId('campaign') })

const ownCampaign = async (db: Db, orgId: string, id: string): Promise<campaigns.Campaign> =>
  await mustFind(campaigns.find(db, orgId, id), 'campaign')

export const read = page({
  path: '/campaigns/{campaign_id}',
  summary: 'Show a campaign and its progress',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, params }) {
    const found = await ownCampaign(db, member.orgId, params.campaign_id)
    const segment = found.segment_id ? await segments.find(db, member.orgId, found.segment_id) : null
    const path = `/app/campaigns/${found.id}`
    const main = html`${parentLink('Campaigns', section.path)}<h1>${found.name}</h1>
<dl class="facts">${(await factsOf(db, found, segment)).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${may('areas:write') && html`<p class="actions">${actionsFor(found).map(([verb, words]) => html`<a class="button" href="${path}/${verb}">${words}</a> `)}</p>`}
<section><h2>HTML</h2><pre tabindex="0">${found.html}</pre></section>
${found.text !== null && html`<section><h2>Text</h2><pre tabindex="0">${found.text}</pre></section>`}`
    return { title: found.name, main }
  },
})

const unbegun: readonly campaigns.Campaign['status'][] = ['draft', 'scheduled', 'paused']

function actionsFor({ status, started_at, ended_at }: campaigns.Campaign): [string, string][] {
  const isUnbegun = unbegun.includes(status) && started_at === null
  return [
    ['preview', 'Preview'],
    ...(isUnbegun ? ([['edit', 'Edit']] as [string, string][]) : []),
    ['test', 'Send a test'],
    ...(unbegun.includes(status) ? ([['send', started_at ? 'Resume' : 'Send or schedule']] as [string, string][]) : []),
    ...(status === 'cancelled' || ended_at ? [] : ([['cancel', 'Cancel campaign']] as [string, string][])),
  ]
}

async function factsOf(db: Db, found: campaigns.Campaign, segment: segments.NamedSegment | null) {
  const { sent, progress, by_status, blocked } = await present(db, found)
  const at = (name: string, value: Date | null): [string, Content][] =>
    value ? [[name, `${formatInstant(value)} UTC`]] : []
  const to = found.segment_id ? (segment?.name ?? 'a deleted segment') : 'all confirmed contacts'
  const facts: [string, Content][] = [
    ['Status', renderStatus(found)],
    ...(found.reason ? ([['Reason', found.reason]] as [string, Content][]) : []),
    ['Campaign', copyable(found.id, 'the campaign ID')],
    ['Subject', found.subject],
    ['Preheader', found.preheader ?? '–'],
    ['From', found.from_name ? `${found.from_name} <${found.from_email}>` : found.from_email],
    ['To', to],
    ...at('Starts', found.started_at ? null : found.send_at),
    ...at('Started', found.started_at),
    ...at('Ended', found.ended_at),
  ]
  if (!found.started_at) return facts
  const statuses = Object.entries(by_status).filter(([, number]) => number > 0)
  return [
    ...facts,
    ['Recipients', count(found.recipients)],
    ['Sent', `${count(sent)}, ${Math.round(progress * 100)} % done`],
    ['Messages', statuses.map(([status, number]) => `${count(number)} ${status}`).join(', ') || 'none yet'],
    [
      'Blocked',
      Object.entries(blocked.by_reason)
        .map(([reason, number]) => `${count(number)} ${reason}`)
        .join(', ') || 'none',
    ],
  ] as [string, Content][]
}

export const { show: askForTest, submit: tested } = formPage({
  path: '/campaigns/{campaign_id}/test',
  summary: 'Send a test of a campaign',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ to: z.string().max(2_000), contact: optionalField(z.string().max(400)) }),
  async view({ db, member, params, filled, fault }) {
    const { id, name } = await ownCampaign(db, member.orgId, params.campaign_id)
    const main = html`${parentLink(name, `/app/campaigns/${id}`)}<h1>Send a test of ${name}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'to', label: 'To', required: true, otherwise: member.email, hint: 'Up to five addresses, separated by commas.' })}
${textField(filled, { name: 'contact', label: 'Contact', type: 'email' })}
<button>Send test</button></form>`
    return { title: `Send a test of ${name}`, main }
  },
  async submit({ ask, params: { campaign_id: id }, given }) {
    const contact = given.contact?.trim()
    const body = { to: splitCommaWords(given.to), ...(contact && { contact }) }
    await ask(test, { params: { id }, body }, z.unknown())
    return { to: `/app/campaigns/${id}`, told: 'Test sent.' }
  },
})

export const { show: askToSend, submit: begun } = formPage({
  path: '/campaigns/{campaign_id}/send',
  summary: 'Send or schedule a campaign',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ send_at: optionalField(LocalTime) }),
  async view({ db, member, params, filled, fault }) {
    const { id, name } = await ownCampaign(db, member.orgId, params.campaign_id)
    const main = html`${parentLink(name, `/app/campaigns/${id}`)}<h1>Send ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'send_at', label: 'Start time (UTC)', type: 'datetime-local', hint: 'Optional. Leave blank to send now.' })}
<p class="actions"><button>Send campaign</button> <a class="button plain" href="/app/campaigns/${id}">Cancel</a></p></form>`
    return { title: `Send ${name}`, main }
  },
  async submit({ ask, params: { campaign_id: id }, given: { send_at } }) {
    if (send_at === undefined) {
      await ask(send, { params: { id } }, z.unknown())
      return { to: `/app/campaigns/${id}`, told: 'Campaign started.' }
    }
    await ask(schedule, { params: { id }, body: { send_at: new Date(`${send_at}Z`).toISOString() } }, z.unknown())
    return { to: `/app/campaigns/${id}`, told: 'Campaign scheduled.' }
  },
})

export const { show: askToCancel, submit: cancelled } = formPage({
  path: '/campaigns/{campaign_id}/cancel',
  summary: 'Cancel a campaign',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, name } = await ownCampaign(db, member.orgId, params.campaign_id)
    const main = html`${parentLink(name, `/app/campaigns/${id}`)}<h1>Cancel ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>You cannot undo this. Messages that have not been sent yet are cancelled.</p>
<p class="actions"><button class="grave">Cancel campaign</button> <a class="button plain" href="/app/campaigns/${id}">Keep campaign</a></p></form>`
    return { title: `Cancel ${name}`, main }
  },
  async submit({ ask, params: { campaign_id: id } }) {
    await ask(cancel, { params: { id } }, z.unknown())
    return { to: `/app/campaigns/${id}`, told: 'Campaign cancelled.' }
  },
})
