import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as rows from '#sql/bots/handovers.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { close, giveBack, reply } from '../handovers.ts'
import { section } from './section.ts'
import { personOf } from './thread.ts'
import { readThread } from './try.ts'

const perPage = 50

const inboxPath = '/app/bots/inbox'

const ofConversation = z.object({ conversation_id: pathId('conversation') })

export const list = page({
  path: '/bots/inbox',
  summary: 'List conversations that a person handles',
  section,
  permission: 'areas:write',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const main = html`${parentLink('Bots', section.path)}<h1>Handed-over conversations</h1>
${shown.length === 0 ? emptyState('No conversations are waiting for a person.') : inboxTable(shown)}
${older(inboxPath)}`
    return { title: 'Handed-over conversations', main }
  },
})

const why = {
  asked: 'person requested',
  unanswered: 'no answer from the bot',
  requested: 'handed over by API',
  channel: 'bot could not answer',
} as const

const inboxTable = (shown: readonly rows.Listed[]): Html =>
  dataTable('Conversations', shown, {
    'Last message': (one) =>
      html`<a href="${inboxPath}/${one.conversation_id}">${one.last_message.slice(0, 120).toWellFormed()}</a>`,
    Contact: ['break', (one) => personOf(one.user_id, one.contact)],
    Bot: ['break', (one) => one.bot_name],
    Reason: (one) => why[one.reason],
    Status: (one) => (one.waits ? 'waiting' : quiet('answered')),
    Changed: (one) => ago(one.updated_at),
  })

export const { show: read, submit: answer } = formPage({
  path: '/bots/inbox/{conversation_id}',
  summary: 'Reply instead of a bot',
  section,
  permission: 'areas:write',
  params: ofConversation,
  fields: z.object({ message: z.string(), author: z.string() }),
  async view({ db, member, params: { conversation_id }, filled, fault }) {
    const { bot_id, reason, note } = await mustFind(rows.find(db, member.orgId, conversation_id), 'conversation')
    const named = { orgId: member.orgId, botId: bot_id, userId: undefined }
    const { user_id, contact, contact_verified } = await mustFind(
      conversations.find(db, { ...named, id: conversation_id }),
      'conversation',
    )
    const thread = await readThread(db, member.orgId, bot_id, conversation_id, personOf(user_id, contact))
    const main = html`${parentLink('Handed-over conversations', inboxPath)}<h1>Conversation${(user_id ?? contact) !== null && ` with ${personOf(user_id, contact)}`}</h1>${!contact_verified && html`<p class="note" role="note">The sender of these emails is not authenticated. Check who wrote before you reply.</p>`}
<p class="lead">${why[reason]}${note !== null && html`: ${note}`}. The bot does not answer until you return the conversation.</p>
<section><h2>Messages</h2>${thread}</section>
<section><h2>Reply</h2>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${linesField(filled, { name: 'message', label: 'Message', required: true, few: true, prose: true })}
${textField(filled, { name: 'author', label: 'Name', otherwise: 'Support', required: true })}
<button>Send reply</button></form></section>
<section><h2>End the handover</h2><p>${actionButton(member, `${inboxPath}/${conversation_id}/return`, 'Return to the bot')} ${actionButton(member, `${inboxPath}/${conversation_id}/close`, 'Close conversation', { grave: true })}</p></section>`
    return { title: 'Conversation', main }
  },
  async submit({ db, member, ask, params: { conversation_id }, given }) {
    const params = await named(db, member.orgId, conversation_id)
    await ask(reply, { params, body: given }, z.object({}))
    return { to: `${inboxPath}/${conversation_id}`, told: 'Reply sent.' }
  },
})

async function named(db: Parameters<typeof rows.find>[0], orgId: string, conversationId: string) {
  const { bot_id: botId } = await mustFind(rows.find(db, orgId, conversationId), 'conversation')
  return { botId, conversationId }
}

export const backToBot = action({
  path: '/bots/inbox/{conversation_id}/return',
  summary: 'Return a conversation to its bot',
  permission: 'areas:write',
  params: ofConversation,
  back: ({ conversation_id }) => `${inboxPath}/${conversation_id}`,
  async perform({ db, member, ask, params: { conversation_id } }) {
    await ask(giveBack, { params: await named(db, member.orgId, conversation_id), body: {} }, z.object({}))
    return { to: inboxPath, told: 'Conversation returned to the bot.' }
  },
})

export const end = action({
  path: '/bots/inbox/{conversation_id}/close',
  summary: 'Close a conversation',
  permission: 'areas:write',
  params: ofConversation,
  back: ({ conversation_id }) => `${inboxPath}/${conversation_id}`,
  async perform({ db, member, ask, params: { conversation_id } }) {
    await ask(close, { params: await named(db, member.orgId, conversation_id), body: {} }, z.object({}))
    return { to: inboxPath, told: 'Conversation closed.' }
  },
})
