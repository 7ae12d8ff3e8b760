import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/bots.ts'
import * as groups from '#sql/bots/question-groups.ts'
import * as unanswered from '#sql/bots/unanswered.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { olderLink, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { answer, remove } from '../questions.ts'
import { botView } from './bot-frame.ts'
import { ofBot, pathOf, section } from './section.ts'

const ofQuestion = ofBot.extend({ question_id: pathId('question') })

const Place = z.object({ times: z.coerce.number().int().min(1).optional().catch(undefined), before: Id.optional() })

export const list = page({
  path: '/bots/{bot_id}/questions',
  summary: 'List unanswered questions of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  query: Place,
  async view({ db, member, may, params: { bot_id }, query: { times, before } }) {
    const bot = await mustFind(rows.find(db, member.orgId, bot_id), 'bot')
    const after = times !== undefined && before !== undefined ? ([times, before] as const) : undefined
    const found = await groups.list(db, bot.id, { before: after, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const none = emptyState(
      'No unanswered questions. Questions that the bot answers with its fallback appear here.',
      undefined,
      html`<a class="button" href="${pathOf(bot.id)}/try">Try the bot</a>`,
    )
    const content = html`<section><h2>Unanswered questions</h2>
<p class="lead">Questions with a similar meaning are grouped. An answer that you add becomes a document of the bot. <a href="${pathOf(bot.id)}/conversations">All conversations</a> also contain the answered questions.</p>
${shown.length === 0 ? none : groupTable(shown, member)}
${last && olderLink(`${pathOf(bot.id)}/questions`, { times: last.times, before: last.id }, 'Less frequent')}</section>`
    return botView(bot, 'Questions', may, content)
  },
})

const groupTable = (shown: readonly groups.Group[], member: Member): Html =>
  dataTable('Questions', shown, {
    Question: ['wide break', (group) => html`${short(group.question)}${otherWordings(group)}`],
    'Times asked': ['number', ({ times }) => count(times)],
    'First asked': ({ first_at }) => ago(first_at),
    'Last asked': ({ last_at }) => ago(last_at),
    Change: [
      'actions',
      ({ id, bot_id, question }) =>
        html`<a class="button" href="${groupPath(bot_id, id)}">Add an answer<span class="unseen"> to ${short(question)}</span></a> ${actionButton(member, `${groupPath(bot_id, id)}/remove`, 'Remove', { of: short(question) })}`,
    ],
  })

const groupPath = (botId: string, groupId: string): string => `/app/bots/${botId}/question-groups/${groupId}`

/** Questions with the same meaning, each with a link to answer it separately. */
const otherWordings = ({ bot_id, questions, count: total }: groups.Group): Html | false =>
  total > 1 &&
  html`<details><summary>${count(total)} questions with a similar meaning</summary><ul>${questions.map(
    ({ id, question, times }) =>
      html`<li><a href="/app/bots/${bot_id}/questions/${id}">${short(question)}</a> <span class="quiet">${count(times)}</span></li>`,
  )}</ul></details>`

const short = (question: string): string =>
  question.length > 200 ? `${question.slice(0, 199).toWellFormed()}…` : question

export const { show: askForAnswer, submit: addAnswer } = formPage({
  path: '/bots/{bot_id}/questions/{question_id}',
  summary: 'Add an answer to a question',
  section,
  permission: 'areas:write',
  params: ofQuestion,
  fields: z.object({ title: z.string(), text: z.string() }),
  async view({ db, member, params: { bot_id, question_id }, filled, fault }) {
    const bot = await mustFind(rows.find(db, member.orgId, bot_id), 'bot')
    const { question } = await mustFind(unanswered.find(db, bot.id, question_id), 'question')
    const main = html`${parentLink('Unanswered questions', `${section.path}/${bot.id}/questions`)}<h1>Add an answer</h1>${renderFault(fault)}
<p class="lead">The answer becomes a document of ${bot.name}. The bot quotes this document word for word.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'title', label: 'Question', otherwise: question.slice(0, 200).toWellFormed(), required: true })}
${linesField(filled, { name: 'text', label: 'Answer', required: true, prose: true })}
<button>Add answer</button></form>`
    return { title: 'Add an answer', main }
  },
  async submit({ ask, params: { bot_id: botId, question_id: questionId }, given }) {
    await ask(answer, { params: { botId, questionId }, body: given }, z.object({}))
    return { to: `/app/bots/${botId}/questions`, told: 'Answer added.' }
  },
})

export const takeOff = action({
  path: '/bots/{bot_id}/questions/{question_id}/remove',
  summary: 'Remove an unanswered question',
  permission: 'areas:write',
  params: ofQuestion,
  back: ({ bot_id }) => `/app/bots/${bot_id}/questions`,
  async perform({ ask, params: { bot_id: botId, question_id: questionId } }) {
    await ask(remove, { params: { botId, questionId } }, z.object({}))
    return { to: `/app/bots/${botId}/questions`, told: 'Question removed.' }
  },
})
