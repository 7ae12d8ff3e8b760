import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as rows from '#sql/bots/actions.ts'
import * as bots from '#sql/bots/bots.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { type FormState, linesField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { create, update } from '../actions.ts'
import { actionsPath, ofAction } from './actions.ts'
import { linesOf } from './profile-fields.ts'
import { ofBot, section } from './section.ts'

const fields = z.object({
  name: z.string().default(''),
  description: z.string().default(''),
  url: z.string().default(''),
  parameters: z.string().default(''),
  triggers: z.string().default(''),
})

const schemaHint = html`Optional. JSON Schema of an object of plain values. For example, <code>{"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}</code>.`

const inputs = (filled: FormState, now?: rows.Action): Html => html`
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'a-z, 0-9 and _. For example, order_status.' })}
${linesField(filled, { name: 'description', label: 'Description', required: true, few: true, prose: true, otherwise: now?.description ?? '', hint: 'What the action does and when to call it. The model reads this text.' })}
${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, otherwise: now?.url ?? '', hint: 'For example, https://shop.example/order-status. Millrace sends a POST request to it.' })}
${linesField(filled, { name: 'parameters', label: 'Arguments', otherwise: now ? schemaOf(now) : '', hint: schemaHint })}
${linesField(filled, { name: 'triggers', label: 'Triggers', few: true, prose: true, otherwise: now?.triggers.join('\n') ?? '', hint: 'Optional. For the embedded engine, one phrase per line. If a message contains a phrase, the engine calls the action, unless the action has required arguments.' })}`

const schemaOf = ({ parameters }: rows.Action): string =>
  Object.keys(parameters.properties).length === 0 ? '' : JSON.stringify(parameters, undefined, 2)

const noArguments = { type: 'object', properties: {}, required: [] }

const toBody = ({ parameters, triggers, ...given }: z.output<typeof fields>) => ({
  ...given,
  parameters: parameters.trim() === '' ? noArguments : parsed(parameters),
  triggers: linesOf(triggers),
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest([{ field: 'form.parameters', issue: 'must be valid JSON' }])
  }
}

export const { show: askForAction, submit: add } = formPage({
  path: '/bots/{bot_id}/actions/new',
  summary: 'Add an action to a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields,
  async view({ db, member, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const back = actionsPath(bot.id)
    const main = html`${parentLink(`Actions of ${bot.name}`, back)}<h1>Add an action</h1>${renderFault(fault)}
<p class="lead">The bot sends a signed request to your server while it prepares an answer.</p>
<form class="form" method="post">${tokenField(member)}${inputs(filled)}
<p class="actions"><button>Add action</button> <a class="button plain" href="${back}">Cancel</a></p></form>`
    return { title: 'Add an action', main }
  },
  async submit({ ask, params: { bot_id: botId }, given }) {
    const reply = z.object({ name: z.string(), secret: z.string() })
    const made = await ask(create, { params: { botId }, body: toBody(given) }, reply)
    const main = html`${parentLink('Actions', actionsPath(botId))}<h1>${made.name}</h1>
${showSecretOnce(made.secret, 'Your server verifies requests with this secret. The secret is shown only once.')}
<p><a class="button" href="${actionsPath(botId)}">Back to the actions</a></p>`
    return { view: { title: made.name, main } }
  },
})

export const { show: showForm, submit: change } = formPage({
  path: '/bots/{bot_id}/actions/{action_id}/edit',
  summary: 'Edit an action of a bot',
  section,
  permission: 'areas:write',
  params: ofAction,
  fields,
  async view({ db, member, params: { bot_id, action_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const now = await mustFind(rows.find(db, bot.id, action_id), 'action')
    const back = `${actionsPath(bot.id)}/${now.id}`
    const main = html`${parentLink(now.name, back)}<h1>Edit action</h1>${renderFault(fault)}
<p class="lead">The change applies from the next call.</p>
<form class="form" method="post">${tokenField(member)}${inputs(filled, now)}
<p class="actions"><button>Save action</button> <a class="button plain" href="${back}">Cancel</a></p></form>`
    return { title: `Edit ${now.name}`, main }
  },
  async submit({ ask, params: { bot_id: botId, action_id: actionId }, given }) {
    await ask(update, { params: { botId, actionId }, body: toBody(given) }, z.unknown())
    return { to: `${actionsPath(botId)}/${actionId}`, told: 'Action saved.' }
  },
})
