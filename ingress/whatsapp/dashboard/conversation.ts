import { z } from 'zod'
import { config } from '#lib/config.ts'
import { notFound } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as rows from '#sql/whatsapp/messages.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { copyable, parentLink } from '../../http/html/parts.ts'
import { renderBubble } from './bubble.ts'
import { messageBubble, type TemplateOf } from './message-bubble.ts'
import { phoneLink, section } from './section.ts'

const most = 100

const WaId = z.string().regex(/^\d{5,20}$/)

export const read = page({
  path: '/whatsapp/conversations/{wa_id}',
  summary: 'Show the conversation with a person',
  section,
  permission: 'log:read',
  params: z.object({ wa_id: z.string().max(200) }),
  async view({ db, member, may, doer, region, services, params: { wa_id: waId } }) {
    if (!WaId.safeParse(waId).success) throw notFound('conversation')
    const [last] = await rows.listForPerson(db, { org_id: member.orgId, wa_id: waId }, 1)
    if (!last) throw notFound('conversation')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'whatsapp_conversation', id: waId })
    const write =
      may('areas:write') &&
      html`<a class="button primary" href="${section.path}/send?to=${encodeURIComponent(last.phone)}">Write</a>`
    const main = html`${parentLink('WhatsApp', section.path)}<div class="title"><h1>${last.phone}</h1><p class="actions">${phoneLink(services, waId)} ${write}</p></div>
${await region(`${contents ? 'whatsapp-chat' : 'whatsapp-statuses'}/${waId}`)}`
    return { title: last.phone, main }
  },
})

const facts = (waId: string, window: conversations.ReportedWindow | null): Html => html`<dl class="facts">
<div><dt>WhatsApp account</dt><dd>${copyable(waId, 'the account')}</dd></div>
<div><dt>Window</dt><dd>${window?.open ? html`${statusBadge('open')}${window.expires_at && html`, ends ${ago(window.expires_at)}`}. You can write freely.` : html`${statusBadge('closed')} Send a template.`}</dd></div></dl>`

async function readConversation(db: Db, orgId: string, given: string) {
  const waId = WaId.safeParse(given)
  const found = waId.success ? await rows.listForPerson(db, { org_id: orgId, wa_id: waId.data }, most) : []
  const [last] = found
  if (!last) return null
  const contact = (await known.findMany(db, [last]))(last)
  const lastInbound = known.getLastInbound(last, contact, await conversations.lastInbound(db, last))
  return { found, waId: last.wa_id, window: conversations.getReportedWindow(contact, lastInbound) }
}

/** The messages with a person, with their contents. */
export const chatRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'contents:read',
  async read(db, orgId, [given = '']) {
    const conversation = await readConversation(db, orgId, given)
    if (!conversation) return null
    const templateOf = await findTemplates(db, orgId)
    const { found, waId, window } = conversation
    return html`${facts(waId, window)}
<section aria-label="Messages"><div class="chat">${found.toReversed().map((one) => renderBubble(messageBubble(one, templateOf)))}</div></section>`
  },
}

/** The messages with a person without their contents, for roles that may not read them. */
export const statusesRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const conversation = await readConversation(db, orgId, given)
    if (!conversation) return null
    const { found, waId, window } = conversation
    return html`${facts(waId, window)}
<section>${dataTable({ caption: 'Messages', key: ({ id }) => `message-${id}` }, found, {
      Type: ({ id, type }) => html`<a href="${section.path}/messages/${id}">${type}</a>`,
      Direction: ({ direction }) => (direction === 'inbound' ? 'received' : 'sent'),
      Status: ({ status, error }) =>
        html`${statusBadge(status)}${error && html` <span class="quiet">${error.code}</span>`}`,
      Time: ({ created_at }) => ago(created_at),
    })}</section>`
  },
}

/**
 * Returns a function that finds a template of the organisation’s number, or of the platform’s number, from which older
 * messages may come.
 */
export async function findTemplates(db: Db, orgId: string): Promise<TemplateOf> {
  const own = (await numbers.findByOrgs(db, [orgId])).get(orgId)
  const page = { where: everything, before: undefined, limit: most }
  const all: templates.Template[] = []
  for (const accountId of [own?.account_id, config.WHATSAPP_BUSINESS_ACCOUNT_ID])
    if (accountId !== undefined) all.push(...(await templates.list(db, accountId, page)))
  return (name, language) => all.find((one) => one.name === name && one.language === language)
}
