import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest } from '#lib/errors.ts'
import * as rows from '#sql/bots/bots.ts'
import * as sources from '#sql/bots/sources.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, refresh, remove } from '../sources.ts'
import { actionsSection } from './actions.ts'
import { section } from './bots.ts'

const most = 200

const ofBot = z.object({ bot_id: pathId('bot') })
const ofSource = ofBot.extend({ source_id: pathId('source') })

const limits = (): Html | undefined =>
  config.AI_ENGINE === 'upstream'
    ? undefined
    : html`<p class="note" role="note"><strong>This bot uses the embedded engine.</strong> It quotes sentences from the bot’s documents or returns the bot’s fallback. It can’t follow the bot’s instructions, make small talk or write its own sentences. For that, an operator must connect a model (<code>AI_ENGINE=upstream</code>).</p>`

export const { show: read, submit: addSource } = formPage({
  path: '/bots/{bot_id}',
  summary: 'Show a bot and its sources',
  section,
  permission: 'log:read',
  params: ofBot,
  fields: z.object({ url: z.string().max(2_000).default(''), refresh_hours: z.string().max(10).default('') }),
  async view({ db, member, may, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(rows.find(db, member.orgId, bot_id), 'bot')
    const shown = await sources.list(db, bot.id, { before: undefined, limit: most })
    const mayWrite = may('areas:write')
    const main = html`${parentLink('Bots', section.path)}<div class="title"><h1>${bot.name}</h1>${mayWrite && html`<a class="button" href="/app/bots/${bot.id}/questions">Unanswered questions</a>`}</div>
${limits()}
<section><h2>Files and URLs</h2>${shown.length === 0 ? emptyState('No files or URLs yet.') : sourceTable(shown, member, mayWrite)}</section>
${await actionsSection(db, bot.id, member, mayWrite)}
${
  mayWrite &&
  html`<section><h2>Add a URL</h2>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'url', label: 'URL', type: 'url', required: true, hint: 'A public web page, PDF, DOCX or text file.' })}
${textField(filled, { name: 'refresh_hours', label: 'Refresh interval in hours', type: 'number', hint: 'Optional. 1 to 720. Leave blank to refresh it only manually.' })}
<button>Add URL</button></form></section>`
}`
    return { title: bot.name, main }
  },
  async submit({ ask, may, params: { bot_id: botId }, given: { url, refresh_hours } }) {
    if (!may('areas:write'))
      throw badRequest([{ field: 'form.url', issue: 'cannot be added without permission to edit bots' }])
    const hours = refresh_hours.trim() === '' ? {} : { refresh_hours: Number(refresh_hours) }
    await ask(create, { params: { botId }, body: { url: url.trim(), ...hours } }, z.object({}))
    return { to: `/app/bots/${botId}`, told: 'URL added. Millrace is reading it.' }
  },
})

const sourceTable = (shown: readonly sources.Source[], member: Member, mayWrite: boolean): Html =>
  dataTable('Files and URLs', shown, {
    Source: (one) => nameOf(one),
    Status: ['break', (one) => stateOf(one)],
    Characters: [
      'number',
      (one) =>
        html`${one.characters === null ? quiet('none') : count(one.characters)}${one.cut && html` <span class="quiet">truncated</span>`}`,
    ],
    'Last read': (one) => ago(one.checked_at),
    'Next read': (one) => (one.refresh_hours === null ? quiet('manual') : `every ${one.refresh_hours} h`),
    Change: [
      'actions',
      (one) =>
        html`${mayWrite && actionButton(member, `/app/bots/${one.bot_id}/sources/${one.id}/refresh`, 'Refresh', { of: nameOf(one) })}${mayWrite && actionButton(member, `/app/bots/${one.bot_id}/sources/${one.id}/remove`, 'Remove', { of: nameOf(one), grave: true })}`,
    ],
  })

const nameOf = ({ title, url, object_id }: sources.Source): string => title ?? url ?? `Object ${object_id}`

const stateOf = ({ status, error }: sources.Source): Html =>
  html`${statusBadge(status)}${error && html` <span class="quiet">${error.message}</span>`}`

export const readAgain = action({
  path: '/bots/{bot_id}/sources/{source_id}/refresh',
  summary: 'Refresh a bot source',
  permission: 'areas:write',
  params: ofSource,
  back: ({ bot_id }) => `/app/bots/${bot_id}`,
  async perform({ ask, params: { bot_id: botId, source_id: sourceId } }) {
    await ask(refresh, { params: { botId, sourceId }, body: {} }, z.object({}))
    return { to: `/app/bots/${botId}`, told: 'Refresh started.' }
  },
})

export const removeSource = action({
  path: '/bots/{bot_id}/sources/{source_id}/remove',
  summary: 'Remove a bot source',
  permission: 'areas:write',
  params: ofSource,
  back: ({ bot_id }) => `/app/bots/${bot_id}`,
  async perform({ ask, params: { bot_id: botId, source_id: sourceId } }) {
    await ask(remove, { params: { botId, sourceId } }, z.object({}))
    return { to: `/app/bots/${botId}`, told: 'Source removed.' }
  },
})
