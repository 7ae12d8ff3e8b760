import { z } from 'zod'
import * as rows from '#sql/bots/bots.ts'
import * as groups from '#sql/bots/question-groups.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { count } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { answer, remove } from '../question-groups.ts'
import { ofBot, pathOf, section } from './section.ts'

const ofGroup = ofBot.extend({ group_id: pathId('question group') })

export const { show: askForAnswer, submit: addAnswer } = formPage({
  path: '/bots/{bot_id}/question-groups/{group_id}',
  summary: 'Add an answer to a group of questions',
  section,
  permission: 'areas:write',
  params: ofGroup,
  fields: z.object({ title: z.string(), text: z.string() }),
  async view({ db, member, params: { bot_id, group_id }, filled, fault }) {
    const bot = await mustFind(rows.find(db, member.orgId, bot_id), 'bot')
    const group = await mustFind(groups.find(db, bot.id, group_id), 'question group')
    const others = group.questions.map(({ question }) => html`<li>${question.slice(0, 200).toWellFormed()}</li>`)
    const main = html`${parentLink('Unanswered questions', `${pathOf(bot.id)}/questions`)}<h1>Add an answer</h1>${renderFault(fault)}
<p class="lead">The answer becomes a document of ${bot.name}. It answers ${count(group.count)} ${group.count === 1 ? 'question' : 'questions'}.</p>
<ul>${others}</ul>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'title', label: 'Question', otherwise: group.question.slice(0, 200).toWellFormed(), required: true })}
${linesField(filled, { name: 'text', label: 'Answer', required: true, prose: true })}
<button>Add answer</button></form>`
    return { title: 'Add an answer', main }
  },
  async submit({ ask, params: { bot_id: botId, group_id: groupId }, given }) {
    await ask(answer, { params: { botId, groupId }, body: given }, z.object({}))
    return { to: `${pathOf(botId)}/questions`, told: 'Answer added.' }
  },
})

export const takeOff = action({
  path: '/bots/{bot_id}/question-groups/{group_id}/remove',
  summary: 'Remove a group of unanswered questions',
  permission: 'areas:write',
  params: ofGroup,
  back: ({ bot_id }) => `${pathOf(bot_id)}/questions`,
  async perform({ ask, params: { bot_id: botId, group_id: groupId } }) {
    await ask(remove, { params: { botId, groupId } }, z.object({}))
    return { to: `${pathOf(botId)}/questions`, told: 'Questions removed.' }
  },
})
