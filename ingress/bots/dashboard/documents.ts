import { Id } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as documents from '#sql/bots/documents.ts'
import * as sources from '#sql/bots/sources.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { mostDocuments } from '../documents.ts'
import { botView } from './bot-frame.ts'
import { ofBot, pathOf, section } from './section.ts'

/** The form of all buttons in the list. The list updates by itself, so it cannot contain the token of the session. */
const formId = 'document-action'

export const listDocuments = page({
  path: '/bots/{bot_id}/documents',
  summary: 'List the documents of a bot',
  section,
  permission: 'log:read',
  params: ofBot,
  async view({ db, member, may, region, services, params: { bot_id } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const mayWrite = may('areas:write')
    const path = `${pathOf(bot.id)}/documents`
    const content = html`<section><div class="title"><h2>Documents</h2>${mayWrite && addLinks(path)}</div>
<p class="lead">The bot answers only from these documents. Each answer quotes them word for word.</p>
${mayWrite && html`<form id="${formId}" method="post" action="${path}">${tokenField(member)}</form>`}
${await region(`bot-documents/${bot.id}/${mayWrite ? 'edit' : 'read'}`)}</section>
${mayWrite && apiCall(services, 'bots.sources.create', { path: { botId: bot.id } })}`
    return botView(bot, 'Documents', may, content)
  },
})

const addLinks = (path: string): Html =>
  html`<p class="actions"><a class="button primary" href="${path}/upload">Upload file</a> <a class="button" href="${path}/text">Paste text</a> <a class="button" href="${path}/url">Add URL</a></p>`

interface Row {
  id: string
  bot_id: string
  name: string
  kind: 'Text' | 'File' | 'URL'
  characters: number | null
  source: sources.Source | undefined
  created_at: Date
}

/** Returns the documents of a bot and its sources that are not read yet, newest first. */
async function listRows(db: Parameters<typeof sources.list>[0], botId: string): Promise<readonly Row[]> {
  const part = { before: undefined, limit: mostDocuments }
  const [texts, read] = await Promise.all([documents.list(db, botId, part), sources.list(db, botId, part)])
  const titles = new Map(texts.map(({ id, title }) => [id, title]))
  const sourceIds = new Set(read.map(({ id }) => id))
  const fromSources = read.map((source): Row => {
    const name = source.title ?? titles.get(source.id) ?? source.url ?? 'File'
    return { ...source, name, kind: source.url === null ? 'File' : 'URL', source }
  })
  const own = texts.filter(({ id }) => !sourceIds.has(id))
  const rows = [
    ...fromSources,
    ...own.map((one): Row => ({ ...one, name: one.title, kind: 'Text', source: undefined })),
  ]
  return rows.sort((a, b) => (a.id < b.id ? 1 : -1))
}

export const documentsRegion: OrgRegion = {
  everyMs: 1_000,
  permission: 'log:read',
  async read(db, orgId, [given = '', mode]) {
    const id = Id.safeParse(given)
    const bot = id.success ? await bots.find(db, orgId, id.data) : null
    if (!bot) return null
    const rows = await listRows(db, bot.id)
    if (rows.length > 0) return documentTable(rows, mode === 'edit')
    const path = `${pathOf(bot.id)}/documents`
    return emptyState(
      'No documents yet. Upload a PDF, DOCX, HTML, Markdown or text file, paste text, or add a URL.',
      undefined,
      mode === 'edit' && html`<a class="button" href="${path}/upload">Upload file</a>`,
    )
  },
}

const documentTable = (rows: readonly Row[], mayWrite: boolean): Html =>
  dataTable({ caption: 'Documents', key: ({ id }) => `document-${id}` }, rows, {
    Document: ({ id, bot_id, name }) => html`<a href="${pathOf(bot_id)}/documents/${id}">${name}</a>`,
    Type: ({ kind }) => kind,
    Status: ['break', ({ source }) => sourceState(source)],
    Characters: [
      'number',
      ({ characters, source }) =>
        html`${characters === null ? quiet('–') : count(characters)}${source?.cut && html` <span class="quiet">truncated</span>`}`,
    ],
    Read: ({ source, created_at }) => ago(source ? source.checked_at : created_at),
    Change: mayWrite && [
      'actions',
      ({ id, bot_id, source, name }) => {
        const path = `${pathOf(bot_id)}/documents/${id}`
        return html`${source && button(`${path}/refresh`, 'Refresh', name)} ${button(`${path}/remove`, 'Delete', name, true)}`
      },
    ],
  })

const button = (path: string, words: string, of: string, grave = false): Content =>
  html`<button form="${formId}" formaction="${path}"${grave && html` class="grave"`}>${words}<span class="unseen"> ${of}</span></button>`

/** Shows the state of a document. A pasted text is always ready. */
export function sourceState(source: Pick<sources.Source, 'status' | 'error'> | undefined): Html {
  if (!source || source.status === 'ready') return statusBadge('ready')
  if (source.status === 'pending') return statusBadge('running', { shown: 'reading…' })
  return html`${statusBadge('failed')}${source.error && html` <span class="quiet">${source.error.message}</span>`}`
}
