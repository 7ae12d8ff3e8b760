import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as apps from '#sql/hooks/apps.ts'
import * as rows from '#sql/hooks/endpoints.ts'
import * as messages from '#sql/hooks/messages.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { presentRate } from '../fields.ts'
import { endpointState, findApp, typeWords } from './app.ts'
import { deliveryState, responseOf } from './message.ts'
import { appPath, endpointPath, factList, messagePath, section } from './section.ts'

export const params = z.object({ app_id: pathId('app'), endpoint_id: pathId('endpoint') })

export type Place = z.output<typeof params>

export async function findEndpoint(db: DatabasePool, { orgId }: Pick<Member, 'orgId'>, { app_id, endpoint_id }: Place) {
  const app = await findApp(db, { orgId }, app_id)
  const found = await mustFind(endpoints.find(db, { orgId, appId: app.id }, endpoint_id), 'endpoint')
  return { app, found }
}

export const read = page({
  path: '/hooks/apps/{app_id}/endpoints/{endpoint_id}',
  summary: 'Show an endpoint of an app with its attempts',
  section,
  permission: 'webhooks:read',
  params,
  query: z.object({ status: optionalField(deliveries.Status), before: Id.optional() }),
  async view({ db, member, may, region, params: place, query: { status, before } }) {
    const { app, found } = await findEndpoint(db, member, place)
    const path = endpointPath(place.app_id, found.id)
    const list =
      before === undefined
        ? await region(`hooks-attempts/${app.id}/${found.id}/${status ?? ''}`)
        : await attemptList(db, app.id, found.id, { status, before })
    const main = html`${parentLink(app.name, appPath(app.id))}<h1 class="break">${found.url}</h1>
${may('webhooks:write') && buttons(member, path, found)}
${factList(factsOf(found, await rows.countDeliveries(db, found.id)))}
<section><h2>Attempts</h2>
${filterForm([{ name: 'status', label: 'Status', options: deliveries.Status.options }], { status }, { button: 'Filter attempts' })}
${list}</section>`
    return { title: found.url, main }
  },
})

const buttons = (member: Member, path: string, { status }: endpoints.Endpoint): Html =>
  html`<div class="actions"><a class="button" href="${path}/edit">Edit endpoint</a>
${status === 'enabled' ? actionButton(member, `${path}/disable`, 'Disable endpoint') : actionButton(member, `${path}/enable`, 'Enable endpoint')}
<a class="button" href="${path}/test">Send test</a> <a class="button" href="${path}/recover">Recover messages</a> <a class="button" href="${path}/secret">Secret</a> <a class="button grave" href="${path}/remove">Delete endpoint</a></div>`

function factsOf(found: endpoints.Endpoint, counts: Awaited<ReturnType<typeof rows.countDeliveries>>) {
  const rate = presentRate(found)
  return [
    ['Status', endpointState(found)],
    ['ID', copyable(found.id, 'the endpoint ID')],
    found.description !== null && (['Description', found.description] as const),
    ['Event types', typeWords(found.events)],
    found.filters !== null && (['Filters', html`<code class="break">${JSON.stringify(found.filters)}</code>`] as const),
    found.channels !== null && (['Channels', found.channels.join(', ')] as const),
    found.header_names !== null && (['Headers', found.header_names.join(', ')] as const),
    ['Rate limit', rate ? `${rate.limit} per ${rate.per}` : quiet('none')],
    ['Messages', `${counts.delivered} delivered, ${counts.failed} failed, ${counts.pending} pending`],
    ['Created', `${formatInstant(found.created_at)} UTC`],
  ] as const
}

/** The newest attempts. Only the first page is live. */
export const attemptRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'webhooks:read',
  async read(db, orgId, [appId = '', id = '', word]) {
    const app = Id.safeParse(appId).success ? await apps.find(db, orgId, appId) : null
    const known = app && Id.safeParse(id).success ? await endpoints.find(db, { orgId, appId: app.id }, id) : null
    if (!app || !known) return null
    return await attemptList(db, app.id, id, { status: deliveries.Status.safeParse(word).data, before: undefined })
  },
}

interface Shown {
  status: deliveries.Status | undefined
  before: string | undefined
}

async function attemptList(db: DatabasePool, appId: string, id: string, { status, before }: Shown): Promise<Html> {
  const where = whereOf(messages.deliveryFilters, { status })
  const found = await messages.listEndpointDeliveries(db, id, { where, before, limit: perPage + 1 })
  const { shown, older } = cutPage(found)
  if (shown.length === 0)
    return status === undefined
      ? emptyState('Attempts appear here.', 'Send a test message to try the endpoint.')
      : emptyState('No attempts match these filters.')
  return html`${dataTable({ caption: 'Attempts', key: (one) => one.id }, shown, {
    Message: (one) => html`<a href="${messagePath(appId, one.event_id)}">${one.type}</a>`,
    Status: (one) => deliveryState(one),
    Attempts: ['number', (one) => one.attempts],
    Response: ['break', (one) => responseOf(one)],
    Time: (one) => ago(one.attempted_at ?? one.created_at),
  })}${older(endpointPath(appId, id), { status })}`
}
