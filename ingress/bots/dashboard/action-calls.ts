import { z } from 'zod'
import * as calls from '#sql/bots/action-calls.ts'
import * as rows from '#sql/bots/actions.ts'
import * as bots from '#sql/bots/bots.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { rotate } from '../actions.ts'
import { actionState, actionsPath, ofAction } from './actions.ts'
import { section } from './section.ts'

const mostShown = 20

const mostText = 300

export const { show: showAction, submit: replaceSecret } = formPage({
  path: '/bots/{bot_id}/actions/{action_id}',
  summary: 'Show the calls and secret of an action',
  section,
  permission: 'areas:write',
  params: ofAction,
  fields: z.object({}),
  async view({ db, member, params: { bot_id, action_id }, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const found = await mustFind(rows.find(db, bot.id, action_id), 'action')
    const shown = await calls.list(db, found.id, { before: undefined, limit: mostShown })
    const main = html`${parentLink(`Actions of ${bot.name}`, actionsPath(bot.id))}<div class="title"><h1 class="break">${found.name}</h1><a class="button primary" href="${actionsPath(bot.id)}/${found.id}/edit">Edit action</a></div>${renderFault(fault)}
<p class="lead break">${found.description}</p>
<dl class="facts"><div><dt>URL</dt><dd class="break">${found.url}</dd></div><div><dt>Status</dt><dd>${actionState(found.enabled)}</dd></div>
<div><dt>Arguments</dt><dd class="break">${listed(Object.keys(found.parameters.properties))}</dd></div><div><dt>Triggers</dt><dd class="break">${listed(found.triggers)}</dd></div></dl>
<section><h2>Recent calls</h2>${shown.length === 0 ? emptyState('No calls yet.') : table(shown)}</section>
<section><h2>Secret</h2><p>Your server uses the secret to verify requests. A new secret replaces the current one immediately.</p>
<form method="post">${tokenField(member)}<button>Replace secret</button></form></section>`
    return { title: found.name, main }
  },
  async submit({ ask, params: { bot_id: botId, action_id: actionId } }) {
    const reply = z.object({ name: z.string(), secret: z.string() })
    const made = await ask(rotate, { params: { botId, actionId }, body: {} }, reply)
    const main = html`${parentLink('Actions', actionsPath(botId))}<h1 class="break">${made.name}</h1>
${showSecretOnce(made.secret, 'Millrace now signs requests with this secret. The secret is shown only once.')}
<p><a class="button" href="${actionsPath(botId)}">Back to the actions</a></p>`
    return { view: { title: made.name, main } }
  },
})

const listed = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.join(', '))

const table = (shown: readonly calls.Call[]): Html =>
  dataTable('Last calls', shown, {
    Time: ['', (one) => ago(one.created_at)],
    Arguments: [
      'break',
      (one) => html`<code>${one.arguments === null ? '–' : short(JSON.stringify(one.arguments))}</code>`,
    ],
    Result: [
      'break',
      (one) =>
        html`${statusBadge(one.status)} ${one.error ? html`<code>${one.error.code}</code> ${one.error.message}` : short(one.answer ?? '')}`,
    ],
    Milliseconds: ['number', (one) => count(one.ms)],
  })

const short = (text: string): string =>
  text.length > mostText ? `${text.slice(0, mostText - 1).toWellFormed()}…` : text
