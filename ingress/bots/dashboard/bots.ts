import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/bots.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'

export const section = {
  title: 'Bots',
  path: '/app/bots',
  group: 'Bots and knowledge',
  guide: 'bots',
  permission: 'log:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/bots',
  summary: 'List the bots of the organisation',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const inbox = may('areas:write') && html`<a class="button" href="/app/bots/inbox">Handed-over conversations</a>`
    const main = html`<div class="title"><h1>Bots</h1>${inbox}</div>
${shown.length === 0 ? emptyState('No bots yet.', 'Create a bot with the API: POST /v1/bots.') : botTable(shown)}
${older(section.path)}`
    return { title: 'Bots', main }
  },
})

const botTable = (shown: readonly rows.Bot[]): Html =>
  dataTable('Bots', shown, {
    Bot: ({ id, name }) => html`<a href="/app/bots/${id}">${name}</a>`,
    Status: ({ published_at }) => (published_at ? 'published' : quiet('draft')),
    Handover: ({ handover }) => (handover ? 'automatic' : quiet('manual')),
    Changed: ({ updated_at }) => ago(updated_at),
  })
