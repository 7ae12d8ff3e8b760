import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as channels from '#sql/live/channels.ts'
import * as messages from '#sql/live/chat-messages.ts'
import * as people from '#sql/live/chat-people.ts'
import * as chats from '#sql/live/chats.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'

const [shownMessages, shownBans] = [50, 50]

const parts = { before: undefined, limit: shownMessages, where: everything }

/** The chat of a channel as moderators see it. Actions are links to pages that confirm them. */
export const chatRegion: OrgRegion = {
  everyMs: 2_000,
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const channel = id.success ? await channels.find(db, orgId, id.data) : null
    if (!channel) return null
    const [found, banned, { is_open }] = await Promise.all([
      messages.list(db, orgId, channel.id, parts),
      people.listBanned(db, channel.id, { before: undefined, limit: shownBans }),
      chats.readOpening(db, channel.id),
    ])
    const path = `/app/live/${channel.id}/chat`
    return html`<p class="lead">${is_open ? 'Viewers can write.' : 'The chat is closed for viewers.'}</p>
<section aria-labelledby="messages"><h2 id="messages">Messages</h2>
${found.length === 0 ? html`<p class="quiet">Messages of viewers will appear here.</p>` : messageTable(found, path)}</section>
${banned.length > 0 && banTable(banned, path)}`
  },
}

const messageTable = (found: readonly messages.ChatMessageWithIdentity[], path: string): Html =>
  dataTable({ caption: 'Messages, newest first', key: ({ id }) => id }, found, {
    Message: ['break', (one) => (one.deleted_at ? quiet('deleted') : one.text)],
    Author: [
      'break',
      (one) => html`${one.name}${one.role !== 'viewer' && html` <span class="quiet">${one.role}</span>`}`,
    ],
    'User ID': ['break', (one) => one.identity ?? '–'],
    Written: (one) => ago(one.created_at),
    Actions: [
      'actions',
      (one) =>
        html`${!one.deleted_at && html`<a class="button" href="${path}/messages/${one.id}">Delete</a>`} ${one.person_id && html`<a class="button" href="${path}/people/${one.person_id}/ban">Ban</a>`}`,
    ],
  })

const banTable = (banned: readonly people.ChatPerson[], path: string): Html =>
  html`<section aria-labelledby="bans"><h2 id="bans">Banned people</h2>${dataTable(
    { caption: 'Banned people', key: ({ id }) => id },
    banned,
    {
      Name: ['break', (one) => one.name],
      'User ID': ['break', (one) => one.identity],
      Banned: (one) => ago(one.banned_at),
      Until: (one) =>
        one.banned_until ? html`${one.banned_until.toISOString().slice(0, 16).replace('T', ' ')} UTC` : 'no end',
      Reason: ['break', (one) => one.ban_reason ?? '–'],
      Actions: ['actions', (one) => html`<a class="button" href="${path}/people/${one.id}/unban">Remove ban</a>`],
    },
  )}</section>`
