import { z } from 'zod'
import { LocalTime } from '#lib/input-types.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { optionalField, splitCommaWords, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { cancel, schedule, send, test } from '../campaigns.ts'
import { findReach, reachPanel, reachWords } from './campaign-reach.ts'
import { section } from './campaigns.ts'
import { mailFrame } from './mail-views.ts'

const params = z.object({ campaign_id: pathId('campaign') })

const ownCampaign = async (db: Db, orgId: string, id: string): Promise<campaigns.Campaign> =>
  await mustFind(campaigns.find(db, orgId, id), 'campaign')

export const read = page({
  path: '/campaigns/{campaign_id}',
  summary: 'Show a campaign and its progress',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, region, params }) {
    const found = await ownCampaign(db, member.orgId, params.campaign_id)
    const path = `/app/campaigns/${found.id}`
    const isUnbegun = unbegun.includes(found.status) && found.started_at === null
    const main = html`${parentLink('Campaigns', section.path)}<h1>${found.name}</h1>
${await region(`campaign/${found.id}`)}
${may('areas:write') && html`<p class="actions spaced">${actionsFor(found).map(([verb, words]) => html`<a class="button" href="${path}/${verb}">${words}</a> `)}</p>`}
${isUnbegun && html`<section><h2>Reach</h2>${reachPanel(await findReach(db, found))}</section>`}
${may('areas:write') && html`<section><h2>Email</h2><div class="mail-stage">${mailFrame(`${path}/shown`)}</div></section>`}
<details><summary>Source</summary><section><h2>HTML</h2><pre tabindex="0">${found.html}</pre></section>
${found.text !== null && html`<section><h2>Text</h2><pre tabindex="0">${found.text}</pre></section>`}</details>`
    return { title: found.name, main, reaches }
  },
})

const reaches = { frames: ["'self'"] }

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
  fields: z.object({ send_at: optionalField(LocalTime), sure: z.string().max(10).default('') }),
  async view({ db, member, params, filled, fault }) {
    const found = await ownCampaign(db, member.orgId, params.campaign_id)
    const { id, name } = found
    const reach = await findReach(db, found)
    const main = html`${parentLink(name, `/app/campaigns/${id}`)}<h1>${found.started_at ? 'Resume' : 'Send'} ${name}</h1>${renderFault(fault)}
<section><h2>Reach</h2>${reachPanel(reach)}</section>
<form class="form" method="post" data-sure>${tokenField(member)}
${textField(filled, { name: 'send_at', label: 'Start time (UTC)', type: 'datetime-local', hint: 'Optional. Leave blank to send now.' })}
<p class="actions"><button>Send campaign</button> <a class="button plain" href="/app/campaigns/${id}">Cancel</a></p>
<dialog class="sure" aria-labelledby="sure-title"><h2 id="sure-title">Send to ${reachWords(reach)}?</h2>
<p>${sureWords}</p>
<p class="actions"><button name="sure" value="yes">Send to ${reachWords(reach)}</button> <button type="button" class="plain" data-back>Back</button></p></dialog></form>
<section><h2>Email</h2><div class="mail-stage">${mailFrame(`/app/campaigns/${id}/shown`)}</div></section>`
    return { title: `Send ${name}`, main, reaches }
  },
  async submit({ db, member, ask, params: { campaign_id: id }, given: { send_at, sure } }) {
    if (sure !== 'yes') return { view: await askAgain(db, member, id, send_at) }
    if (send_at === undefined) {
      await ask(send, { params: { id } }, z.unknown())
      return { to: `/app/campaigns/${id}`, told: 'Campaign started.' }
    }
    await ask(schedule, { params: { id }, body: { send_at: new Date(`${send_at}Z`).toISOString() } }, z.unknown())
    return { to: `/app/campaigns/${id}`, told: 'Campaign scheduled.' }
  },
})

const sureWords = 'Messages that have been sent cannot be recalled. You can cancel the campaign while it is being sent.'

/** The question that a dialog asks, as a separate page. */
async function askAgain(db: DatabasePool, member: Member, id: string, sendAt: string | undefined) {
  const found = await ownCampaign(db, member.orgId, id)
  const words = reachWords(await findReach(db, found))
  const main = html`${parentLink(found.name, `/app/campaigns/${id}`)}<h1>Send ${found.name} to ${words}?</h1>
<form class="form" method="post">${tokenField(member)}<input type="hidden" name="send_at" value="${sendAt ?? ''}">
<p>${sureWords}</p>
<p class="actions"><button name="sure" value="yes">Send to ${words}</button> <a class="button plain" href="/app/campaigns/${id}">Cancel</a></p></form>`
  return { title: `Send ${found.name}`, main }
}

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
