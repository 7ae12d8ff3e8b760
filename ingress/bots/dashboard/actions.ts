import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as rows from '#sql/bots/actions.ts'
import * as bots from '#sql/bots/bots.ts'
import { ago } from '../../http/console/format.ts'
import { type Html, html } from '../../http/console/html.ts'
import { linesField, textField } from '../../http/dashboard/form.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { actionButton, empty, faultOf, secretOnce, tokenField, trail } from '../../http/dashboard/parts.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, mostActions, remove, update } from '../actions.ts'
import { section } from './bots.ts'

const ofBot = z.object({ bot_id: pathId('bot') })
const ofAction = ofBot.extend({ action_id: pathId('action') })

const pathOf = (botId: string): string => `${section.path}/${botId}`

const schemaHint = html`JSON Schema of an object of plain values, such as <code>{"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}</code>; empty: it takes none.`

/** `/app/bots/{bot_id}/actions/new`: gives a bot an action; its secret is shown this once. */
export const { show: askForAction, submit: add } = formPage({
  path: '/bots/{bot_id}/actions/new',
  summary: 'Add an action of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields: z.object({
    name: z.string(),
    description: z.string(),
    url: z.string(),
    parameters: z.string().default(''),
    triggers: z.string().default(''),
  }),
  async view({ db, member, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const main = html`${trail(bot.name, pathOf(bot.id))}<h1>Add an action</h1>${faultOf(fault)}
<p class="lead">A request to your server that the bot makes while it answers, signed as webhooks are.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'Of a-z, 0-9 and _, such as order_status.' })}
${linesField(filled, { name: 'description', label: 'What it does', required: true, few: true, prose: true, hint: 'And when to call it: a model goes by this.' })}
${textField(filled, { name: 'url', label: 'Address', type: 'url', required: true, hint: 'https://…' })}
${linesField(filled, { name: 'parameters', label: 'Arguments', hint: schemaHint })}
${linesField(filled, { name: 'triggers', label: 'Phrases', hint: 'For the embedded engine, each on a line of its own: it calls an action without required arguments where a message has one of them.', few: true, prose: true })}
<p class="actions"><button>Add it</button> <a class="button plain" href="${pathOf(bot.id)}">Not now</a></p></form>`
    return { title: 'Add an action', main }
  },
  async submit({ ask, params: { bot_id: botId }, given: { parameters, triggers, ...given } }) {
    const schema = parameters.trim() === '' ? {} : { parameters: parsed(parameters) }
    const phrases = triggers.split('\n').filter((line) => line.trim() !== '')
    const body = { ...given, ...schema, triggers: phrases }
    const made = await ask(create, { params: { botId }, body }, z.object({ name: z.string(), secret: z.string() }))
    const main = html`${trail('Bot', pathOf(botId))}<h1>${made.name}</h1>
${secretOnce(made.secret, 'Your server verifies by it that a request is from here. Nobody can show it again.')}
<p><a class="button" href="${pathOf(botId)}">Go on to the bot</a></p>`
    return { view: { title: made.name, main } }
  },
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest([{ field: 'form.parameters', issue: 'is no JSON' }])
  }
}

/** What a bot may call, and how the last calls went. */
export async function actionsSection(
  db: Parameters<typeof rows.list>[0],
  botId: string,
  member: Member,
  mayWrite: boolean,
): Promise<Html> {
  const shown = await rows.list(db, botId, { before: undefined, limit: mostActions })
  const more = mayWrite && html`<a class="button plain" href="${pathOf(botId)}/actions/new">Add an action</a>`
  return html`<section><div class="title"><h2>Actions</h2>${more}</div>${
    shown.length === 0 ? empty('It calls no server of yours.') : table(shown, member, mayWrite)
  }</section>`
}

const table = (
  shown: readonly rows.Action[],
  member: Member,
  mayWrite: boolean,
): Html => html`<table class="data stacks">
<caption class="unseen">Actions</caption>
<thead><tr><th scope="col">Action</th><th scope="col">Address</th><th scope="col">Last call</th><th scope="col"><span class="unseen">Change</span></th></tr></thead>
<tbody>${shown.map(
  (
    one,
  ) => html`<tr><th scope="row" class="break">${mayWrite ? html`<a href="${pathOf(one.bot_id)}/actions/${one.id}">${one.name}</a>` : one.name}${!one.enabled && html` <span class="quiet">off</span>`}</th><td class="break" data-label="Address">${one.url}</td>
<td class="break" data-label="Last call">${lastCallOf(one)}</td>
<td class="actions">${mayWrite && actionButton(member, `${pathOf(one.bot_id)}/actions/${one.id}/${one.enabled ? 'off' : 'on'}`, one.enabled ? 'Turn off' : 'Turn on', { of: one.name })}${mayWrite && actionButton(member, `${pathOf(one.bot_id)}/actions/${one.id}/remove`, 'Remove', { of: one.name, grave: true })}</td></tr>`,
)}</tbody></table>`

const lastCallOf = ({ called_at, called_status, called_error }: rows.Action): Html =>
  called_at === null
    ? html`<span class="quiet">none</span>`
    : html`<span class="${called_status !== 'ok' && 'bad'}">${called_status}</span> ${ago(called_at)}${called_error && html` <span class="quiet">${called_error}</span>`}`

const enabling = (path: `/bots/{bot_id}/actions/{action_id}/${'on' | 'off'}`, enabled: boolean) =>
  action({
    path,
    summary: enabled ? 'Have a bot call an action again' : 'Have a bot call an action no longer',
    permission: 'areas:write',
    params: ofAction,
    back: ({ bot_id }) => pathOf(bot_id),
    async perform({ ask, params: { bot_id: botId, action_id: actionId } }) {
      await ask(update, { params: { botId, actionId }, body: { enabled } }, z.unknown())
      return { to: pathOf(botId), told: enabled ? 'It may be called.' : 'It is not called any more.' }
    },
  })

/** Has a bot call an action again. */
export const on = enabling('/bots/{bot_id}/actions/{action_id}/on', true)

/** Has a bot call an action no longer, and keeps it. */
export const off = enabling('/bots/{bot_id}/actions/{action_id}/off', false)

/** Takes an action from a bot. */
export const removeAction = action({
  path: '/bots/{bot_id}/actions/{action_id}/remove',
  summary: 'Take an action from a bot',
  permission: 'areas:write',
  params: ofAction,
  back: ({ bot_id }) => pathOf(bot_id),
  async perform({ ask, params: { bot_id: botId, action_id: actionId } }) {
    await ask(remove, { params: { botId, actionId } }, z.unknown())
    return { to: pathOf(botId), told: 'The bot has it no more.' }
  },
})
