import { z } from 'zod'
import * as channels from '#sql/live/channels.ts'
import * as people from '#sql/live/chat-people.ts'
import * as chats from '#sql/live/chats.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as bans from '../chat/bans.ts'
import { update } from '../chat/chat.ts'
import { create, remove } from '../chat/messages.ts'
import { section } from './channels.ts'

const params = z.object({ channel_id: pathId('live channel') })
const ofPerson = params.extend({ person_id: pathId('person') })

const pathOf = (id: string): string => `${section.path}/${id}/chat`

export const moderate = page({
  path: '/live/{channel_id}/chat',
  summary: 'Moderate the chat of a live channel',
  section,
  permission: 'contents:read',
  params,
  async view({ db, member, may, region, services, params: { channel_id: id } }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink(name, `${section.path}/${id}`)}<div class="title"><h1>Chat</h1>${
      may('areas:write') &&
      html`<div class="actions spaced"><a class="button primary" href="${pathOf(id)}/write">Write message</a> <a class="button" href="${pathOf(id)}/settings">Settings</a></div>`
    }</div>
${await region(`chat/${id}`)}
<section aria-labelledby="embed"><h2 id="embed">Embed</h2><p class="lead">Your server creates a token for each viewer. Your page gives the <code>url</code> of the token to <code>&lt;mill-chat&gt;</code>.</p>
${apiCall(services, 'live.chat-tokens.create', { path: { channelId: id }, body: { userId: 'user-17', name: 'Ada' } })}</section>`
    return { title: 'Chat', main }
  },
})

const openings = [
  ['broadcast', 'while a broadcast is live'],
  ['always', 'always'],
  ['never', 'never'],
] as const

const numbers = [
  ['earlyMinutes', 'Open before a scheduled broadcast, in minutes', 'early_minutes'],
  ['slowSeconds', 'Slow mode: seconds between two messages of a viewer', 'slow_seconds'],
  ['maxLength', 'Characters of a message', 'max_length'],
  ['history', 'Earlier messages that viewers get', 'history'],
  ['keepDays', 'Days until messages are deleted', 'keep_days'],
] as const

export const { show: askForChatSettings, submit: changeChat } = formPage({
  path: '/live/{channel_id}/chat/settings',
  summary: 'Change the chat settings of a live channel',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    opens: chats.Opens,
    earlyMinutes: z.coerce.number(),
    slowSeconds: z.coerce.number(),
    maxLength: z.coerce.number(),
    history: z.coerce.number(),
    keepDays: z.coerce.number(),
  }),
  async view({ db, member, params: { channel_id: id }, filled, fault }) {
    await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const settings = await chats.find(db, id)
    const main = html`${parentLink('Chat', pathOf(id))}<h1>Chat settings</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'opens', label: 'Viewers can write', options: openings, otherwise: settings.opens })}
${numbers.map(([name, label, column]) => textField(filled, { name, label, type: 'number', required: true, otherwise: String(settings[column]) }))}
<p class="actions"><button>Save</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Chat settings', main }
  },
  async submit({ ask, given, params: { channel_id: channelId } }) {
    await ask(update, { params: { channelId }, body: given }, z.unknown())
    return { to: pathOf(channelId), told: 'Chat settings changed.' }
  },
})

export const { show: askForMessage, submit: write } = formPage({
  path: '/live/{channel_id}/chat/write',
  summary: 'Write a chat message',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ name: z.string(), text: z.string() }),
  async view({ db, member, params: { channel_id: id }, filled, fault }) {
    const { name } = await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink('Chat', pathOf(id))}<h1>Write a message</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: name.slice(0, 50) })}
${textField(filled, { name: 'text', label: 'Message', required: true })}
<p class="actions"><button>Write message</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Write a message', main }
  },
  async submit({ ask, given, params: { channel_id: channelId } }) {
    await ask(create, { params: { channelId }, body: given }, z.unknown())
    return { to: pathOf(channelId), told: 'Message written.' }
  },
})

export const { show: askToDelete, submit: drop } = formPage({
  path: '/live/{channel_id}/chat/messages/{message_id}',
  summary: 'Delete a chat message',
  section,
  permission: 'areas:write',
  params: params.extend({ message_id: pathId('chat message') }),
  fields: z.object({}),
  async view({ db, member, params: { channel_id: id }, fault }) {
    await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const main = html`${parentLink('Chat', pathOf(id))}<h1>Delete the message?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}<p>Viewers no longer see the message. Its text is deleted.</p>
<p class="actions"><button class="grave">Delete message</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Delete the message', main }
  },
  async submit({ ask, params: { channel_id: channelId, message_id: messageId } }) {
    await ask(remove, { params: { channelId, messageId } }, z.unknown())
    return { to: pathOf(channelId), told: 'Message deleted.' }
  },
})

const durations = [
  ['', 'until the ban is removed'],
  ['600', 'for 10 minutes'],
  ['86400', 'for 1 day'],
  ['604800', 'for 7 days'],
] as const

const deletions = [
  ['yes', 'yes'],
  ['no', 'no'],
] as const

export const { show: askToBan, submit: ban } = formPage({
  path: '/live/{channel_id}/chat/people/{person_id}/ban',
  summary: 'Ban a person from a chat',
  section,
  permission: 'areas:write',
  params: ofPerson,
  fields: z.object({ seconds: z.string(), reason: optionalField(z.string()), deleteMessages: z.enum(['yes', 'no']) }),
  async view({ db, member, params: { channel_id: id, person_id }, filled, fault }) {
    await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const { name } = await mustFind(people.find(db, id, person_id), 'person')
    const main = html`${parentLink('Chat', pathOf(id))}<h1>Ban ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}<p class="lead">The person is disconnected immediately and cannot read or write.</p>
${selectField(filled, { name: 'seconds', label: 'Duration', options: durations })}
${textField(filled, { name: 'reason', label: 'Reason', hint: 'Optional. The person sees the reason.' })}
${selectField(filled, { name: 'deleteMessages', label: 'Delete all messages of the person', options: deletions })}
<p class="actions"><button class="grave">Ban</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: `Ban ${name}`, main }
  },
  async submit({ ask, given, params: { channel_id: channelId, person_id: personId } }) {
    const body = {
      seconds: given.seconds === '' ? null : Number(given.seconds),
      reason: given.reason ?? null,
      deleteMessages: given.deleteMessages === 'yes',
    }
    await ask(bans.put, { params: { channelId, personId }, body }, z.unknown())
    return { to: pathOf(channelId), told: 'Person banned.' }
  },
})

export const { show: askToUnban, submit: unban } = formPage({
  path: '/live/{channel_id}/chat/people/{person_id}/unban',
  summary: 'Remove a ban from a chat',
  section,
  permission: 'areas:write',
  params: ofPerson,
  fields: z.object({}),
  async view({ db, member, params: { channel_id: id, person_id }, fault }) {
    await mustFind(channels.find(db, member.orgId, id), 'live channel')
    const { name } = await mustFind(people.find(db, id, person_id), 'person')
    const main = html`${parentLink('Chat', pathOf(id))}<h1>Remove the ban of ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}<p>The person can read and write again.</p>
<p class="actions"><button>Remove ban</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Remove a ban', main }
  },
  async submit({ ask, params: { channel_id: channelId, person_id: personId } }) {
    await ask(bans.remove, { params: { channelId, personId } }, z.unknown())
    return { to: pathOf(channelId), told: 'Ban removed.' }
  },
})
