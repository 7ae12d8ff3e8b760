import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as conversationLabels from '#sql/bots/conversation-labels.ts'
import * as rows from '#sql/bots/conversations.ts'
import * as handovers from '#sql/bots/handovers.ts'
import * as ratings from '#sql/bots/ratings.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { botView } from './bot-frame.ts'
import { labelMarks } from './label-marks.ts'
import { ofBot, pathOf, section } from './section.ts'
import { personOf } from './thread.ts'
import { readThread } from './try.ts'

export const listConversations = page({
  path: '/bots/{bot_id}/conversations',
  summary: 'List the conversations of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, params: { bot_id }, query: { before } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const found = await rows.list(db, { orgId: member.orgId, botId: bot.id }, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const path = `${pathOf(bot.id)}/conversations`
    const none = emptyState(
      'No conversations yet. Conversations from your web pages, your API calls and this dashboard appear here.',
      undefined,
      html`<a class="button" href="${pathOf(bot.id)}/try">Try the bot</a>`,
    )
    const content = html`<section><div class="title"><h2>Conversations</h2><a class="button" href="${section.path}/inbox">Inbox</a></div>
${shown.length === 0 ? none : conversationTable(bot.id, shown)}
${older(path)}</section>`
    return botView(bot, 'Conversations', may, content)
  },
})

const conversationTable = (botId: string, shown: readonly rows.Listed[]): Html =>
  dataTable('Conversations', shown, {
    'First question': ({ id, question }) =>
      html`<a href="${pathOf(botId)}/conversations/${id}">${shorten(question)}</a>`,
    User: ['break', ({ user_id, contact }) => personOf(user_id, contact)],
    Messages: ['number', ({ messages }) => count(messages)],
    'No answer': ['number', ({ unanswered }) => (unanswered === 0 ? quiet('0') : count(unanswered))],
    Status: (one) =>
      one.handed_over
        ? html`<a href="${section.path}/inbox/${one.id}">${statusBadge('waiting', { shown: 'with a person' })}</a>`
        : one.closed_at
          ? 'closed'
          : 'open',
    'Last message': ({ updated_at }) => ago(updated_at),
  })

const shorten = (question: string): string =>
  question.length > 120 ? `${question.slice(0, 119).toWellFormed()}…` : question

export const showConversation = page({
  path: '/bots/{bot_id}/conversations/{conversation_id}',
  summary: 'Show a conversation of a bot',
  section,
  permission: 'areas:write',
  params: ofBot.extend({ conversation_id: pathId('conversation') }),
  async view({ db, member, params: { bot_id, conversation_id: id } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const named = { orgId: member.orgId, botId: bot.id, id, userId: undefined }
    const one = await mustFind(rows.find(db, named), 'conversation')
    const [handover, labels, rating] = await Promise.all([
      handovers.find(db, member.orgId, id),
      conversationLabels.listOf(db, id),
      ratings.find(db, member.orgId, id),
    ])
    const main = html`${parentLink(`Conversations of ${bot.name}`, `${pathOf(bot.id)}/conversations`)}<div class="title"><h1>Conversation</h1>${handover && html`<a class="button primary" href="${section.path}/inbox/${id}">Reply</a>`}</div>
<dl class="facts"><div><dt>User</dt><dd>${personOf(one.user_id, one.contact)}</dd></div>
<div><dt>Started</dt><dd>${ago(one.created_at)}</dd></div><div><dt>Last message</dt><dd>${ago(one.updated_at)}</dd></div>
<div><dt>Version of the bot</dt><dd>${one.bot_version}</dd></div>
<div><dt>Status</dt><dd>${one.closed_at ? 'closed' : handover ? 'with a person' : 'open'}</dd></div>
${labels.length > 0 && html`<div><dt>Labels</dt><dd>${labelMarks(labels)}</dd></div>`}
${rating && html`<div><dt>Rating</dt><dd>${rating.score} of 5${rating.comment !== null && html` <q>${rating.comment}</q>`}</dd></div>`}
<div><dt>ID</dt><dd>${copyable(id, 'the ID of the conversation')}</dd></div></dl>
<section><h2>Messages</h2>${await readThread(db, member.orgId, bot.id, id, personOf(one.user_id, one.contact))}</section>`
    return { title: 'Conversation', main }
  },
})
