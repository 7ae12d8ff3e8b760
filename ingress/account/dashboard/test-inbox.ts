import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/account/test-messages.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { clearTestMessages, readContent } from '#tasks/account/rules/test-messages.ts'
import type { DashboardSection, OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'

export const section = {
  title: 'Test inbox',
  path: '/app/test-inbox',
  group: 'Developers',
  guide: 'test-mode',
  permission: 'log:read',
} as const satisfies DashboardSection

const names = {
  email: 'Email',
  push: 'Push',
  whatsapp: 'WhatsApp',
  sms: 'SMS',
  chat: 'Chat',
  voice: 'Call',
  notify: 'Notification',
} as const satisfies Record<rows.Channel, string>

const query = z.object({
  channel: optionalField(rows.Channel),
  to: optionalField(z.string().max(320)),
  before: Id.optional(),
})

export const overview = page({
  path: '/test-inbox',
  summary: 'List test messages, newest first',
  section,
  permission: 'log:read',
  query,
  async view({ db, member, may, region, query: { channel, to, before } }) {
    const titles = may('contents:read')
    const isLive = before === undefined && to === undefined
    const shown = isLive
      ? await region(`${titles ? 'test-inbox' : 'test-inbox-recipients'}/${channel ?? ''}`)
      : await messageList(db, member.orgId, { channel, to, before, titles })
    const canEmpty = may('areas:write')
    const main = html`<div class="title"><h1>Test inbox</h1>${canEmpty && actionButton(member, '/app/test-inbox/empty', 'Empty test inbox', { grave: true })}</div>
<p class="lead">Messages sent with test keys: the last ${rows.limits.messages.toLocaleString('en-US')}, for ${rows.keepDays} days. Millrace does not deliver them.</p>
${filterForm(filters, { channel, to }, { button: 'Filter messages' })}
${shown}`
    return { title: 'Test inbox', main }
  },
})

interface Wanted {
  channel: rows.Channel | undefined
  to?: string | undefined
  before?: string | undefined
  titles: boolean
}

async function messageList(db: DatabasePool, orgId: string, { channel, to, before, titles }: Wanted): Promise<Html> {
  const where = whereOf(rows.filters, { channel, to })
  const found = await rows.list(db, orgId, { where, before, limit: perPage + 1 })
  const { shown, older } = cutPage(found)
  return html`${shown.length === 0 ? emptyState('No messages match these filters.', html`Messages that you send with a <a href="/app/keys/new">test key</a> (<code>bt_test_…</code>) appear here.`) : messageTable(shown, titles)}
${older(section.path, { channel, to })}`
}

const liveList = (titles: boolean): OrgRegion => ({
  everyMs: 2_000,
  permission: titles ? 'contents:read' : 'log:read',
  async read(db, orgId, [given]) {
    const channel = rows.Channel.safeParse(given).data
    return await messageList(db, orgId, { channel, titles })
  },
})

export const inboxRegions = { 'test-inbox': liveList(true), 'test-inbox-recipients': liveList(false) }

const filters: readonly Filter[] = [
  { name: 'channel', label: 'Channel', options: rows.Channel.options.map((one) => [one, names[one]] as const) },
  { name: 'to', label: 'To' },
]

/** A title is the subject or the start of the text. So only members who can read contents see titles. */
const messageTable = (shown: readonly rows.ListedTestMessage[], titles: boolean): Html =>
  dataTable({ caption: 'Test messages', key: ({ id }) => id }, shown, {
    To: ({ id, recipient }) => html`<a href="/app/test-inbox/${id}">${recipient}</a>`,
    Subject: ['break', ({ title }) => (titles ? title : quiet('hidden'))],
    Channel: ({ channel }) => names[channel],
    Created: ({ created_at }) => ago(created_at),
  })

export const read = page({
  path: '/test-inbox/{id}',
  summary: 'Show a test message',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('test message') }),
  async view({ db, member, may, doer, params: { id } }) {
    const found = await mustFind(rows.find(db, member.orgId, id), 'test message')
    const { channel, recipient, key_id, created_at } = found
    const facts: [string, Html | string][] = [
      ['Channel', names[channel]],
      ['Recipient', recipient],
      ['Created', `${formatInstant(created_at)} UTC`],
      ['API key', key_id === null ? 'none' : html`<span class="id">${key_id}</span>`],
      ['ID', html`<span class="id">${id}</span>`],
    ]
    const shown = may('contents:read')
    const title = shown ? found.title : `${names[channel]} to ${recipient}`
    if (shown) await recordContentsRead(db, doer, { kind: 'test_message', id })
    const content = shown ? shownOf(await readContent(db, found)) : hidden
    const main = html`${parentLink(section.title, section.path)}<h1>${title}</h1>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Content</h2>${content}</section>`
    return { title, main }
  },
})

const hidden = emptyState('Your role cannot view message content.')

/** Displays every part as text. HTML from customers is never rendered. */
function shownOf(content: Record<string, unknown> | null): Html {
  if (!content) return emptyState('The content has been deleted.')
  const parts = Object.entries(content).filter(([, value]) => value !== null && value !== undefined)
  return html`${parts.map(
    ([name, value]) =>
      html`<h3>${name}</h3><pre tabindex="0">${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>`,
  )}`
}

export const clear = action({
  path: '/test-inbox/empty',
  summary: 'Empty the test inbox',
  permission: 'areas:write',
  back: () => section.path,
  async perform({ db, doer }) {
    const deleted = await db.transaction((tx) => clearTestMessages(tx, doer))
    return { to: section.path, told: deleted === 1 ? 'One message deleted.' : `${deleted} messages deleted.` }
  },
})
