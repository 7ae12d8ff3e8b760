import { z } from 'zod'
import * as bots from '#sql/bots/bots.ts'
import * as documents from '#sql/bots/documents.ts'
import * as sources from '#sql/bots/sources.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { selectField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { actionButton, copyable, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { remove } from '../documents.ts'
import { refresh, remove as removeSource, update } from '../sources.ts'
import { sourceState } from './documents.ts'
import { ofBot, pathOf, section } from './section.ts'

const ofDocument = ofBot.extend({ document_id: pathId('document') })

/** Maximum number of characters of a text on its page. */
const mostShown = 20_000

export const intervals = [
  ['', 'Only when you select Refresh'],
  ['1', 'Every hour'],
  ['24', 'Every day'],
  ['168', 'Every week'],
  ['720', 'Every 30 days'],
] as const

const backOf = ({ bot_id }: { bot_id: string }): string => `${pathOf(bot_id)}/documents`

export const { show: showDocument, submit: changeInterval } = formPage({
  path: '/bots/{bot_id}/documents/{document_id}',
  summary: 'Show a document of a bot',
  section,
  permission: 'log:read',
  params: ofDocument,
  fields: z.object({ refresh_hours: z.string().max(10) }),
  async view({ db, member, may, params: { bot_id, document_id: id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const source = await sources.find(db, bot.id, id)
    const text = await documents.find(db, bot.id, id, mostShown)
    const { created_at } = source ?? (await mustFind(Promise.resolve(text), 'document'))
    const title = source?.title ?? text?.title ?? source?.url ?? 'File'
    const path = `${pathOf(bot.id)}/documents/${id}`
    const mayWrite = may('areas:write')
    const buttons = html`<p class="actions">${source && actionButton(member, `${path}/refresh`, 'Refresh')} ${actionButton(member, `${path}/remove`, 'Delete document', { grave: true })}</p>`
    const main = html`${parentLink(`Documents of ${bot.name}`, `${pathOf(bot.id)}/documents`)}<div class="title"><h1>${title}</h1>${mayWrite && buttons}</div>${renderFault(fault)}
<dl class="facts"><div><dt>Status</dt><dd>${sourceState(source ?? undefined)}</dd></div>
${source?.url && html`<div><dt>URL</dt><dd>${source.url}</dd></div>`}
${source?.object_id && html`<div><dt>File</dt><dd><a href="/app/files/${source.object_id}">Show file</a></dd></div>`}
<div><dt>Characters</dt><dd>${text ? count(text.characters) : quiet('none yet')}${source?.cut && html` <span class="quiet">truncated</span>`}</dd></div>
${source && html`<div><dt>Last read</dt><dd>${ago(source.checked_at)}</dd></div>`}
<div><dt>Added</dt><dd>${ago(created_at)}</dd></div>
<div><dt>ID</dt><dd>${copyable(id, 'the ID of the document')}</dd></div></dl>
${mayWrite && source?.url && html`<section><h2>Automatic refresh</h2><form class="form" method="post">${tokenField(member)}${selectField(filled, { name: 'refresh_hours', label: 'Refresh', options: optionsOf(source), otherwise: source.refresh_hours?.toString() ?? '' })}<button>Save</button></form></section>`}
<section><h2>Text</h2>${text ? textPart(text) : emptyState(source?.status === 'failed' ? 'The file could not be read.' : 'The text appears here when the file has been read. Reload the page in a moment.')}</section>`
    return { title, main }
  },
  async submit({ ask, params: { bot_id: botId, document_id: sourceId }, given: { refresh_hours: hours } }) {
    const body = { refresh_hours: hours === '' ? null : Number(hours) }
    await ask(update, { params: { botId, sourceId }, body }, z.object({}))
    return { to: `${pathOf(botId)}/documents/${sourceId}`, told: 'Refresh interval saved.' }
  },
})

function optionsOf({ refresh_hours }: sources.Source): readonly (readonly [string, string])[] {
  const now = refresh_hours?.toString() ?? ''
  return intervals.some(([value]) => value === now) ? intervals : [...intervals, [now, `Every ${now} hours`]]
}

const textPart = ({ text, characters }: documents.Document): Html =>
  html`<pre class="document" tabindex="0">${text}</pre>${characters > mostShown && html`<p class="hint">The page shows the first ${count(mostShown)} of ${count(characters)} characters.</p>`}`

export const readAgain = action({
  path: '/bots/{bot_id}/documents/{document_id}/refresh',
  summary: 'Refresh a document of a bot',
  permission: 'areas:write',
  params: ofDocument,
  back: backOf,
  async perform({ ask, params: { bot_id: botId, document_id: sourceId } }) {
    await ask(refresh, { params: { botId, sourceId }, body: {} }, z.object({}))
    return { to: backOf({ bot_id: botId }), told: 'Refresh started.' }
  },
})

export const removeDocument = action({
  path: '/bots/{bot_id}/documents/{document_id}/remove',
  summary: 'Delete a document of a bot',
  permission: 'areas:write',
  params: ofDocument,
  back: backOf,
  async perform({ db, ask, params: { bot_id: botId, document_id: id } }) {
    if (await sources.find(db, botId, id)) await ask(removeSource, { params: { botId, sourceId: id } }, z.object({}))
    else await ask(remove, { params: { botId, documentId: id } }, z.object({}))
    return { to: backOf({ bot_id: botId }), told: 'Document deleted.' }
  },
})
