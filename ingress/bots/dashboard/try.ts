import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as answers from '#sql/bots/answers.ts'
import * as bots from '#sql/bots/bots.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as messages from '#sql/bots/messages.ts'
import * as versions from '#sql/bots/versions.ts'
import type { DatabasePool } from '#sql/db.ts'
import { fill } from '#tasks/bots/rules/fill.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { type FormState, linesField, parseForm } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { acceptMessage } from '../accept.ts'
import { text } from '../fields.ts'
import { withDeliveries } from '../message.ts'
import { botView, engineNote } from './bot-frame.ts'
import { atFields, valueInputs, valuesOf, withValues } from './persona-fields.ts'
import { ofBot, pathOf, section } from './section.ts'
import { memberPrefix, threadList } from './thread.ts'

const mostMessages = 100

const Question = z.object({ message: text(8_000) })

/** A conversation of a member with a bot. The answer appears while the bot writes it. */
export const { show: showChat, submit: say } = formPage({
  path: '/bots/{bot_id}/try',
  summary: 'Try a bot in a conversation',
  section,
  permission: 'areas:write',
  params: ofBot,
  query: z.object({ conversation: Id.optional() }),
  fields: withValues({ message: z.string().default('') }),
  async view({ db, member, may, region, services, params: { bot_id }, query: { conversation: id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const version = await versions.find(db, bot.id, bot.version)
    const conversation =
      id && (await conversations.find(db, { orgId: member.orgId, botId: bot.id, id, userId: userIdOf(member) }))
    const path = `${pathOf(bot.id)}/try`
    const chat = conversation ? await region(`bot-chat/${bot.id}/${conversation.id}`) : opening(version)
    const starters =
      !conversation && !openVariables(version).some(({ required }) => required) && version.starter_questions
    const content = html`${engineNote()}
<section class="try"><div class="title"><h2>Conversation</h2>${conversation && html`<a class="button" href="${path}">New conversation</a>`}</div>
${chat}${renderFault(fault)}
${starters && starters.length > 0 && html`<form class="starters" method="post" action="${path}">${tokenField(member)}${starters.map((one) => html`<button name="message" value="${one}">${one}</button>`)}</form>`}
<form class="ask" method="post" action="${path}${conversation && `?conversation=${conversation.id}`}" data-chat>${tokenField(member)}
${!conversation && openInputs(filled, version)}
${messageInput(filled)}
<button class="primary">Send</button></form></section>
${apiCall(services, 'bots.chat.create', { path: { botId: bot.id }, body: { message: 'How long do I have to return a bike?', ...(conversation && { conversation_id: conversation.id }) } })}`
    return botView(bot, 'Try it', may, content)
  },
  async submit({ db, member, params: { bot_id }, query: { conversation }, given }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const { message } = parseForm(Question, { message: given.message })
    const names = openVariables(await versions.find(db, bot.id, bot.version)).map(({ key }) => key)
    const said = conversation ? { conversation_id: conversation } : { variables: valuesOf(given, names) }
    const { conversation_id: id } = await atFields(
      db.transaction((tx) =>
        acceptMessage(tx, member.orgId, bot.id, { message, stream: true, user_id: userIdOf(member), ...said }),
      ),
    )
    return { to: `${pathOf(bot.id)}/try?conversation=${id}` }
  },
})

/** Returns the user ID of a member’s conversations. No other member can continue them. */
const userIdOf = ({ userId }: Pick<Member, 'userId'>): string => memberPrefix + userId

/** Renders the placeholders that the conversation must fill, and collapses the optional ones. */
function openInputs(filled: FormState, version: versions.Version): Html {
  const { required = [], optional = [] } = Object.groupBy(openVariables(version), (one) =>
    one.required ? 'required' : 'optional',
  )
  return html`${valueInputs(filled, required)}${optional.length > 0 && html`<details class="values"><summary>Values of this conversation</summary>${valueInputs(filled, optional)}</details>`}`
}

const messageInput = (filled: FormState): Html =>
  linesField(filled, { name: 'message', label: 'Message', required: true, few: true, prose: true })

const openVariables = ({ variables, variable_values }: versions.Version): versions.Variable[] =>
  variables.filter(({ key }) => variable_values[key] === undefined)

const opening = (version: versions.Version): Html =>
  version.greeting === null
    ? html`<p class="lead">Ask a question. The answer shows the documents that it quotes.</p>`
    : html`<ol class="chat" tabindex="0"><li class="answered"><p class="words">${fill(version.greeting, version, {})}</p></li></ol>`

export const chatRegion: OrgRegion = {
  everyMs: 500,
  permission: 'areas:write',
  async read(db, orgId, [botId = '', conversationId = '']) {
    const given = z.tuple([Id, Id]).safeParse([botId, conversationId])
    return given.success ? await readThread(db, orgId, ...given.data, 'You') : null
  },
}

/** Renders the last messages of a conversation. Returns `null` if the organisation does not have the conversation. */
export async function readThread(
  db: DatabasePool,
  orgId: string,
  botId: string,
  id: string,
  person: string,
): Promise<Html | null> {
  const bot = await bots.findKnown(db, orgId, botId)
  const conversation = bot && (await conversations.find(db, { orgId, botId, id, userId: undefined }))
  if (!bot || !conversation) return null
  const wanted = { orgId, botId, conversationId: id, userId: undefined, order: 'desc', after: undefined } as const
  const [found, partial, { fallback }] = await Promise.all([
    messages.list(db, { ...wanted, limit: mostMessages }),
    answers.readPartial(db, id),
    versions.find(db, botId, conversation.bot_version),
  ])
  return threadList({
    bot,
    owned: bot.org_id === orgId,
    fallback,
    messages: (await withDeliveries(db, found)).toReversed(),
    partial,
    person,
  })
}
