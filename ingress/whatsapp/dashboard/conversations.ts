import type * as contacts from '#sql/whatsapp/contacts.ts'
import { getReportedWindow } from '#sql/whatsapp/conversations.ts'
import * as latest from '#sql/whatsapp/latest.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'

export const section = {
  title: 'WhatsApp',
  path: '/app/whatsapp',
  group: 'Notifications',
  guide: 'whatsapp',
  permission: 'log:read',
} as const satisfies DashboardSection

const most = 100

type ContactOf = (one: known.KnownContact) => contacts.Contact | undefined

/** Displays the latest conversations without their text. */
export const overview = page({
  path: '/whatsapp',
  summary: 'Show the latest WhatsApp conversations',
  section,
  permission: 'log:read',
  async view({ db, member }) {
    const shown = await latest.conversations(db, member.orgId, most)
    const contactOf = await known.findMany(db, shown)
    const main = html`<div class="title"><h1>WhatsApp</h1><a class="button" href="/app/whatsapp/number">Your number</a></div>
${shown.length === 0 ? emptyState('No messages yet.', 'Send messages with the API: POST /v1/whatsapp/send. If the person has not written in the last 24 hours, use /send-template.') : conversationTable(shown, contactOf)}
${shown.length > 0 && html`<p class="more quiet">The ${count(most)} most recent people from the last ${count(latest.searchedMessages)} messages. Read the messages with the API.</p>`}`
    return { title: 'WhatsApp', main }
  },
})

const conversationTable = (shown: readonly latest.Latest[], contactOf: ContactOf): Html =>
  dataTable('Conversations', shown, {
    Person: ['', (one) => one.phone],
    'Last message': (one) =>
      html`${one.type} <span class="quiet">${one.direction === 'inbound' ? 'received' : 'sent'}</span>`,
    Status: [
      'break',
      (one) =>
        html`<span class="${one.status === 'failed' && 'bad'}">${one.status}</span>${one.error && html` <span class="quiet">${one.error.code}</span>`}`,
    ],
    Messages: ['number', (one) => count(one.messages)],
    Window: (one) => windowOf(one, contactOf),
    Time: (one) => ago(one.created_at),
  })

function windowOf(one: latest.Latest, contactOf: ContactOf): Html {
  const contact = contactOf(one)
  const found = getReportedWindow(contact, known.getLastInbound(one, contact, one.last_inbound_at))
  if (!found?.open) return quiet('closed')
  return html`<span class="good">open</span>${found.expires_at && html`, ends ${ago(found.expires_at)}`}`
}
