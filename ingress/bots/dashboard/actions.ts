import { z } from 'zod'
import * as rows from '#sql/bots/actions.ts'
import * as bots from '#sql/bots/bots.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { mostActions, remove, update } from '../actions.ts'
import { botView } from './bot-frame.ts'
import { ofBot, pathOf, section } from './section.ts'

export const ofAction = ofBot.extend({ action_id: pathId('action') })

export const actionsPath = (botId: string): string => `${pathOf(botId)}/actions`

export const listActions = page({
  path: '/bots/{bot_id}/actions',
  summary: 'List the actions of a bot',
  section,
  permission: 'log:read',
  params: ofBot,
  async view({ db, member, may, services, params: { bot_id } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const shown = await rows.list(db, bot.id, { before: undefined, limit: mostActions })
    const mayWrite = may('areas:write')
    const add = mayWrite && html`<a class="button primary" href="${actionsPath(bot.id)}/new">Add action</a>`
    const content = html`<section><div class="title"><h2>Actions</h2>${shown.length > 0 && add}</div>
<p class="lead">With an action, the bot sends a signed request to your server while it prepares an answer. For example, to look up an order.</p>
${shown.length === 0 ? emptyState('No actions yet. Up to 10 actions of the bot appear here with their last call.', undefined, add) : table(shown, member, mayWrite)}</section>
${mayWrite && apiCall(services, 'bots.actions.create', { path: { botId: bot.id } })}`
    return botView(bot, 'Actions', may, content)
  },
})

const table = (shown: readonly rows.Action[], member: Member, mayWrite: boolean): Html =>
  dataTable('Actions', shown, {
    Action: (one) =>
      mayWrite ? html`<a href="${actionsPath(one.bot_id)}/${one.id}">${one.name}</a>` : html`${one.name}`,
    Status: ({ enabled }) => actionState(enabled),
    URL: ['break', (one) => one.url],
    'Last call': ['break', (one) => lastCallOf(one)],
    Change: mayWrite && [
      'actions',
      (one) =>
        html`${actionButton(member, `${actionsPath(one.bot_id)}/${one.id}/${one.enabled ? 'off' : 'on'}`, one.enabled ? 'Turn off' : 'Turn on', { of: one.name })} ${actionButton(member, `${actionsPath(one.bot_id)}/${one.id}/remove`, 'Delete', { of: one.name, grave: true })}`,
    ],
  })

export const actionState = (enabled: boolean): Html => statusBadge(enabled ? 'on' : 'off')

const lastCallOf = ({ called_at, called_status, called_error }: rows.Action): Html =>
  called_at === null
    ? quiet('none')
    : html`${statusBadge(called_status ?? 'unknown', { as: called_status === 'ok' ? 'ok' : 'failed' })} ${ago(called_at)}${called_error && html` <span class="quiet">${called_error}</span>`}`

const enabling = (path: `/bots/{bot_id}/actions/{action_id}/${'on' | 'off'}`, enabled: boolean) =>
  action({
    path,
    summary: enabled ? 'Turn on a bot action' : 'Turn off a bot action',
    permission: 'areas:write',
    params: ofAction,
    back: ({ bot_id }) => actionsPath(bot_id),
    async perform({ ask, params: { bot_id: botId, action_id: actionId } }) {
      await ask(update, { params: { botId, actionId }, body: { enabled } }, z.unknown())
      return { to: actionsPath(botId), told: enabled ? 'Action turned on.' : 'Action turned off.' }
    },
  })

export const on = enabling('/bots/{bot_id}/actions/{action_id}/on', true)

export const off = enabling('/bots/{bot_id}/actions/{action_id}/off', false)

export const removeAction = action({
  path: '/bots/{bot_id}/actions/{action_id}/remove',
  summary: 'Delete a bot action',
  permission: 'areas:write',
  params: ofAction,
  back: ({ bot_id }) => actionsPath(bot_id),
  async perform({ ask, params: { bot_id: botId, action_id: actionId } }) {
    await ask(remove, { params: { botId, actionId } }, z.unknown())
    return { to: actionsPath(botId), told: 'Action deleted.' }
  },
})
