import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import * as settings from '#sql/webhooks/settings.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, linkButton } from '../../http/html/parts.ts'

export const section = {
  title: 'Webhooks',
  path: '/app/webhooks',
  group: 'Developers',
  guide: 'webhooks',
  permission: 'webhooks:read',
} as const satisfies DashboardSection

const perPage = 100

export const overview = page({
  path: '/webhooks',
  summary: 'List webhooks of all areas',
  section,
  permission: 'webhooks:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await endpoints.list(db, { orgId: member.orgId }, { limit: perPage + 1, before })
    const { shown, older } = cutPage(found, perPage)
    const keeps = await settings.keepsEvents(db, member.orgId)
    const main = html`<div class="title"><h1>Webhooks</h1>${may('webhooks:write') && html`<a class="button primary" href="/app/webhooks/new">Create webhook</a>`}</div>
${shown.length === 0 ? emptyState('Your webhooks appear here.', 'A webhook is a URL on your server. Millrace sends signed events to it.', may('webhooks:write') && linkButton('/app/webhooks/new', 'Create webhook')) : webhookTable(shown)}
${older(section.path)}
<section><h2>Events</h2><p class="lead">${keeps ? 'Millrace stores all events, including events that no webhook receives. You can deliver stored events to a new webhook.' : 'Millrace stores only events that a webhook receives.'}</p>
<div class="actions"><a class="button" href="/app/events">Show events</a> ${may('webhooks:write') && actionButton(member, '/app/events/keep', keeps ? 'Store only events that a webhook receives' : 'Store all events', { fields: { keep: String(!keeps) } })}</div></section>`
    return { title: 'Webhooks', main }
  },
})

const webhookTable = (shown: readonly endpoints.Endpoint[]): Html =>
  dataTable('Webhooks', shown, {
    Webhook: (one) =>
      html`<a href="/app/webhooks/${one.id}">${webhookTitle(one)}</a>${one.name && html` <span class="quiet">${hostOf(one)}</span>`}`,
    Status: (one) => webhookState(one),
    Events: ['break', (one) => typesInShort(one)],
    Created: (one) => ago(one.created_at),
  })

const hostOf = ({ url }: endpoints.Endpoint): string => new URL(url).host

export const webhookTitle = (one: endpoints.Endpoint): string => one.name ?? hostOf(one)

export function webhookState({ status, paused_at, failing_since, disabled_reason }: endpoints.Endpoint): Html {
  if (status === 'disabled')
    return html`${statusBadge('disabled')}${disabled_reason && html` <span class="quiet">${disabled_reason}</span>`}`
  if (paused_at) return quiet('paused')
  if (failing_since) return html`${statusBadge('failing')} <span class="quiet">since ${ago(failing_since)}</span>`
  return statusBadge('enabled')
}

function typesInShort({ events, area, mode }: endpoints.Endpoint): Html {
  const [first = '', second, ...more] = events
  const words = first === '*' ? 'all events' : [first, second].filter(Boolean).join(', ')
  return html`${words}${more.length > 0 && html` <span class="quiet">and ${more.length} more</span>`}${area && html` <span class="quiet">${area} only</span>`}${mode && html` <span class="quiet">${mode} only</span>`}`
}
