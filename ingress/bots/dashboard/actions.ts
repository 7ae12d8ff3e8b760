import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as rows from '#sql/bots/actions.ts'
import * as bots from '#sql/bots/bots.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, mostActions, remove, update } from '../actions.ts'
import { section } from './bots.ts'

const ofBot = z.object({ bot_id: pathId('bot') })
const ofAction = ofBot.extend({ action_id: pathId('action') })

const pathOf = (botId: string): string => `${section.path}/${botId}`

const schemaHint = html`JSON Schema of an object of plain values. For example, <code>{"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}</code>. Leave blank if the action has no arguments.`

export const { show: askForAction, submit: add } = formPage({
  path: '/bots/{bot_id}/actions/new',
  summary: 'Add an action to a bot',
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
    const main = html`${parentLink(bot.name, pathOf(bot.id))}<h1>Add an action</h1>${renderFault(fault)}
<p class="lead">The bot sends a signed request to your server while it prepares an answer.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'a-z, 0-9 and _. For example, order_status.' })}
${linesField(filled, { name: 'description', label: 'Description', required: true, few: true, prose: true, hint: 'What the action does and when to call it. The model reads this text.' })}
${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, hint: 'https://…' })}
${linesField(filled, { name: 'parameters', label: 'Arguments', hint: schemaHint })}
${linesField(filled, { name: 'triggers', label: 'Triggers', hint: 'For the embedded engine, one phrase per line. If a message contains a phrase, the engine calls the action, unless the action has required arguments.', few: true, prose: true })}
<p class="actions"><button>Add action</button> <a class="button plain" href="${pathOf(bot.id)}">Cancel</a></p></form>`
    return { title: 'Add an action', main }
  },
  async submit({ ask, params: { bot_id: botId }, given: { parameters, triggers, ...given } }) {
    const schema = parameters.trim() === '' ? {} : { parameters: parsed(parameters) }
    const phrases = triggers.split('\n').filter((line) => line.trim() !== '')
    const body = { ...given, ...schema, triggers: phrases }
    const made = await ask(create, { params: { botId }, body }, z.object({ name: z.string(), secret: z.string() }))
    const main = html`${parentLink('Bot', pathOf(botId))}<h1>${made.name}</h1>
${showSecretOnce(made.secret, 'Your server verifies requests with this secret. The secret is shown only once.')}
<p><a class="button" href="${pathOf(botId)}">Back to the bot</a></p>`
    return { view: { title: made.name, main } }
  },
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest([{ field: 'form.parameters', issue: 'must be valid JSON' }])
  }
}

export async function actionsSection(
  db: Parameters<typeof rows.list>[0],
  botId: string,
  member: Member,
  mayWrite: boolean,
): Promise<Html> {
  const shown = await rows.list(db, botId, { before: undefined, limit: mostActions })
  const more = mayWrite && html`<a class="button plain" href="${pathOf(botId)}/actions/new">Add an action</a>`
  return html`<section><div class="title"><h2>Actions</h2>${more}</div>${
    shown.length === 0
      ? emptyState('No actions yet. With an action, the bot calls your server.')
      : table(shown, member, mayWrite)
  }</section>`
}

const table = (shown: readonly rows.Action[], member: Member, mayWrite: boolean): Html =>
  dataTable('Actions', shown, {
    Action: (one) =>
      html`${mayWrite ? html`<a href="${pathOf(one.bot_id)}/actions/${one.id}">${one.name}</a>` : one.name}${!one.enabled && html` <span class="quiet">off</span>`}`,
    URL: ['break', (one) => one.url],
    'Last call': ['break', (one) => lastCallOf(one)],
    Change: [
      'actions',
      (one) =>
        html`${mayWrite && actionButton(member, `${pathOf(one.bot_id)}/actions/${one.id}/${one.enabled ? 'off' : 'on'}`, one.enabled ? 'Turn off' : 'Turn on', { of: one.name })}${mayWrite && actionButton(member, `${pathOf(one.bot_id)}/actions/${one.id}/remove`, 'Remove', { of: one.name, grave: true })}`,
    ],
  })

const lastCallOf = ({ called_at, called_status, called_error }: rows.Action): Html =>
  called_at === null
    ? quiet('none')
    : html`${statusBadge(called_status ?? 'unknown')} ${ago(called_at)}${called_error && html` <span class="quiet">${called_error}</span>`}`

const enabling = (path: `/bots/{bot_id}/actions/{action_id}/${'on' | 'off'}`, enabled: boolean) =>
  action({
    path,
    summary: enabled ? 'Turn on a bot action' : 'Turn off a bot action',
    permission: 'areas:write',
    params: ofAction,
    back: ({ bot_id }) => pathOf(bot_id),
    async perform({ ask, params: { bot_id: botId, action_id: actionId } }) {
      await ask(update, { params: { botId, actionId }, body: { enabled } }, z.unknown())
      return { to: pathOf(botId), told: enabled ? 'Action turned on.' : 'Action turned off.' }
    },
  })

export const on = enabling('/bots/{bot_id}/actions/{action_id}/on', true)

export const off = enabling('/bots/{bot_id}/actions/{action_id}/off', false)

export const removeAction = action({
  path: '/bots/{bot_id}/actions/{action_id}/remove',
  summary: 'Delete a bot action',
  permission: 'areas:write',
  params: ofAction,
  back: ({ bot_id }) => pathOf(bot_id),
  async perform({ ask, params: { bot_id: botId, action_id: actionId } }) {
    await ask(remove, { params: { botId, actionId } }, z.unknown())
    return { to: pathOf(botId), told: 'Action removed.' }
  },
})
