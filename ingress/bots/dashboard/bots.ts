import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/bots/bots.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, olderLink } from '../../http/html/parts.ts'

export const section = {
  title: 'Bots',
  path: '/app/bots',
  group: 'Knowledge and trust',
  permission: 'log:read',
} as const satisfies DashboardSection

const perPage = 50

export const overview = page({
  path: '/bots',
  summary: 'List the bots of the organisation',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rows.list(db, member.orgId, { before, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const inbox = may('areas:write') && html`<a class="button" href="/app/bots/inbox">Handed-over conversations</a>`
    const main = html`<div class="title"><h1>Bots</h1>${inbox}</div>
${shown.length === 0 ? emptyState('No bots yet.', 'Create a bot with the API: POST /v1/bots.') : botTable(shown)}
${last && olderLink(section.path, { before: last.id })}`
    return { title: 'Bots', main }
  },
})

const botTable = (shown: readonly rows.Bot[]): Html => html`<table class="data stacks">
<caption class="unseen">Bots</caption>
<thead><tr><th scope="col">Bot</th><th scope="col">Status</th><th scope="col">Handover</th><th scope="col">Changed</th></tr></thead>
<tbody>${shown.map(
  ({ id, name, published_at, handover, updated_at }) =>
    html`<tr><th scope="row" class="break"><a href="/app/bots/${id}">${name}</a></th>
<td data-label="Status">${published_at ? 'published' : html`<span class="quiet">draft</span>`}</td><td data-label="Handover">${handover ? 'automatic' : html`<span class="quiet">manual</span>`}</td><td data-label="Changed">${ago(updated_at)}</td></tr>`,
)}</tbody></table>`
