import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/bots.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'
import { botState } from './bot-frame.ts'
import { section } from './section.ts'

export const overview = page({
  path: '/bots',
  summary: 'List the bots of the organisation',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, services, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const create = html`<a class="button primary" href="${section.path}/new">Create bot</a>`
    const links =
      may('areas:write') &&
      html`<p class="actions"><a class="button" href="${section.path}/inbox">Inbox</a> ${create}</p>`
    const none = emptyState(
      'No bots yet. A bot answers questions from your documents and quotes them.',
      undefined,
      may('areas:write') && create,
    )
    const main = html`<div class="title"><h1>Bots</h1>${links}</div>
${shown.length === 0 ? none : botTable(shown)}
${older(section.path)}
${may('areas:write') && apiCall(services, 'bots.bots.create')}`
    return { title: 'Bots', main }
  },
})

const botTable = (shown: readonly rows.Bot[]): Html =>
  dataTable('Bots', shown, {
    Bot: ({ id, name, tagline }) =>
      html`<a href="${section.path}/${id}">${name}</a>${tagline !== null && html` <span class="quiet">${tagline}</span>`}`,
    Status: (bot) => botState(bot),
    Languages: ({ languages }) => (languages.length === 0 ? quiet('any') : languages.join(', ')),
    Handover: ({ handover }) => (handover ? 'automatic' : quiet('manual')),
    Changed: ({ updated_at }) => ago(updated_at),
  })
