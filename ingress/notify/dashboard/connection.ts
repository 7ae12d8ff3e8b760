import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as messages from '#sql/notify/chat-messages.ts'
import * as rows from '#sql/notify/connections.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { checkBoxes, optionalField, repeatedField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { remove, test, update } from '../connections.ts'
import { connectionsPath, section } from './section.ts'
import { kindTitles } from './step-icons.ts'

const params = z.object({ connection_id: pathId('connection') })

const read = (db: Db, orgId: string, id: string) => mustFind(rows.find(db, orgId, id), 'connection')

const place = (id: string): string => `${connectionsPath}/${id}`

/** Number of messages on the page of a connection. */
const shownMessages = 30

export const one = page({
  path: '/notify/connections/{connection_id}',
  summary: 'Show a chat connection',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, region, params: { connection_id: id } }) {
    const found = await read(db, member.orgId, id)
    const write = may('areas:write')
    const buttons =
      write &&
      html`<div class="actions">${actionButton(member, `${place(id)}/test`, 'Send a test message')}<a class="button" href="${place(id)}/edit">Edit</a></div>`
    const main = html`${parentLink('Chat', connectionsPath)}<div class="title"><h1>${found.name}</h1>${buttons}</div>
${await region(`notify-connection/${id}`)}
${write && html`<section><h2>Remove</h2><p class="lead">Deletes the connection with its messages. Pending messages are not sent.</p><div class="actions spaced">${actionButton(member, `${place(id)}/remove`, 'Remove connection', { grave: true })}</div></section>`}`
    return { title: found.name, main }
  },
})

/** State and latest messages of a connection, without their content. */
export const connectionRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await rows.find(db, orgId, id.data) : null
    if (!found) return null
    const latest = await messages.list(db, orgId, {
      where: messages.filters.connection_id(found.id),
      before: undefined,
      limit: shownMessages,
    })
    return html`${found.reason && html`<div class="fault"><p><b>${found.reason}</b></p><p>Send a test message. If the URL has changed, edit the connection.</p></div>`}
<dl class="facts"><div><dt>State</dt><dd>${statusBadge(found.state)}</dd></div>
<div><dt>Kind</dt><dd>${kindTitles[found.kind]}</dd></div>
<div><dt>Host</dt><dd class="break">${found.host}</dd></div>
<div><dt>Default</dt><dd>${found.is_default ? 'yes' : 'no'}</dd></div>
<div><dt>Verified</dt><dd>${found.verified_at ? ago(found.verified_at) : quiet('not yet')}</dd></div></dl>
<section><h2>Messages</h2>${latest.length === 0 ? emptyState('No messages yet.', 'Messages to this connection appear here.') : messageTable(latest)}</section>`
  },
}

const messageTable = (latest: readonly messages.ChatMessage[]): Html =>
  dataTable({ caption: 'Messages', key: ({ id }) => `chat-${id}` }, latest, {
    Event: [
      '',
      (one) => (one.event_id ? html`<a href="/app/notify/events/${one.event_id}">${one.type}</a>` : html`${one.type}`),
    ],
    Person: ['break', (one) => one.user_id ?? quiet('none')],
    Status: [
      'break',
      (one) =>
        html`${statusBadge(one.status === 'sending' ? 'queued' : one.status)}${one.error && html` <span class="quiet">${one.error.code}${one.error.http_status !== null && html` ${one.error.http_status}`}</span>`}`,
    ],
    Created: (one) => ago(one.created_at),
  })

export const { show: askForChange, submit: change } = formPage({
  path: '/notify/connections/{connection_id}/edit',
  summary: 'Edit a chat connection',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    name: z.string().default(''),
    url: optionalField(z.string()),
    default: repeatedField(z.string()),
  }),
  async view({ db, member, filled, fault, params: { connection_id: id } }) {
    const found = await read(db, member.orgId, id)
    const main = html`${parentLink(found.name, place(id))}<h1>Edit connection</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: found.name })}
${textField(filled, { name: 'url', label: 'New URL', type: 'url', hint: 'Optional. Millrace then sends a test message.' })}
${checkBoxes(filled, { name: 'default', label: 'Default', options: [['yes', 'Use it for people without their own connection of this kind']], otherwise: found.is_default ? ['yes'] : [] })}
<p class="actions"><button>Save</button> <a class="button plain" href="${place(id)}">Cancel</a></p></form>`
    return { title: 'Edit connection', main }
  },
  async submit({ ask, given, params: { connection_id: id } }) {
    const url = given.url === undefined ? {} : { url: given.url.trim() }
    const body = { name: given.name, default: given.default.length > 0, ...url }
    await ask(update, { params: { id }, body }, z.unknown())
    return { to: place(id), told: 'Connection saved.' }
  },
})

export const sendTest = action({
  path: '/notify/connections/{connection_id}/test',
  summary: 'Send a test message to a chat connection',
  permission: 'areas:write',
  params,
  back: ({ connection_id }) => place(connection_id),
  async perform({ ask, params: { connection_id: id } }) {
    const reply = z.object({ delivered: z.boolean(), error: z.object({ message: z.string() }).nullable() })
    const { delivered, error } = await ask(test, { params: { id } }, reply)
    return { to: place(id), told: delivered ? 'Test message sent.' : `Test failed. ${error?.message ?? ''}` }
  },
})

export const removeConnection = action({
  path: '/notify/connections/{connection_id}/remove',
  summary: 'Remove a chat connection',
  permission: 'areas:write',
  params,
  back: ({ connection_id }) => place(connection_id),
  async perform({ ask, params: { connection_id: id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: connectionsPath, told: 'Connection removed.' }
  },
})
