import type * as contacts from '#sql/whatsapp/contacts.ts'
import { getReportedWindow } from '#sql/whatsapp/conversations.ts'
import * as latest from '#sql/whatsapp/latest.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState } from '../../http/html/parts.ts'
import { numberPath, phoneLink, section, templatesPath } from './section.ts'

const most = 100

type ContactOf = (one: known.KnownContact) => contacts.Contact | undefined

/** Displays the latest conversations without their text. */
export const overview = page({
  path: '/whatsapp',
  summary: 'Show the latest WhatsApp conversations',
  section,
  permission: 'log:read',
  async view({ may, region, services }) {
    const send = may('areas:write') && html`<a class="button primary" href="${section.path}/send">Send a message</a>`
    const phone = phoneLink(services)
    const main = html`<div class="title"><h1>WhatsApp</h1><p class="actions">${phone} <a class="button" href="${templatesPath}">Templates</a> <a class="button" href="${numberPath}">Your number</a> ${send}</p></div>
${phone && html`<p class="notice">This is the sandbox: no message leaves this machine. On the test phone, you act as the people who receive your messages.</p>`}
${await region('whatsapp')}`
    return { title: 'WhatsApp', main }
  },
})

export const conversationsRegion: OrgRegion = {
  everyMs: 3_000,
  permission: 'log:read',
  async read(db, orgId) {
    const shown = await latest.conversations(db, orgId, most)
    if (shown.length === 0)
      return emptyState(
        'No messages yet.',
        'Send a template to a person. After the person answers, you can write freely for 24 hours.',
      )
    const contactOf = await known.findMany(db, shown)
    return html`${conversationTable(shown, contactOf)}
<p class="more quiet">The ${count(most)} most recent people from the last ${count(latest.searchedMessages)} messages.</p>`
  },
}

const conversationTable = (shown: readonly latest.Latest[], contactOf: ContactOf): Html =>
  dataTable({ caption: 'Conversations', key: ({ wa_id }) => `person-${wa_id}` }, shown, {
    Person: ['', (one) => html`<a href="${section.path}/conversations/${one.wa_id}">${one.phone}</a>`],
    'Last message': (one) =>
      html`${one.type} <span class="quiet">${one.direction === 'inbound' ? 'received' : 'sent'}</span>`,
    Status: [
      'break',
      (one) => html`${statusBadge(one.status)}${one.error && html` <span class="quiet">${one.error.code}</span>`}`,
    ],
    Messages: ['number', (one) => count(one.messages)],
    Window: (one) => windowOf(one, contactOf),
    Time: (one) => ago(one.created_at),
  })

function windowOf(one: latest.Latest, contactOf: ContactOf): Html {
  const contact = contactOf(one)
  const found = getReportedWindow(contact, known.getLastInbound(one, contact, one.last_inbound_at))
  if (!found?.open) return statusBadge('closed')
  return html`${statusBadge('open')}${found.expires_at && html`, ends ${ago(found.expires_at)}`}`
}
