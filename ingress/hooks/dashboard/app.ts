import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { everything, whereOf } from '#sql/filters.ts'
import * as rows from '#sql/hooks/apps.ts'
import * as endpoints from '#sql/hooks/endpoints.ts'
import * as messages from '#sql/hooks/messages.ts'
import type { Endpoint } from '#sql/webhooks/endpoints.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, copyable, emptyState, linkButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { presentRate } from '../fields.ts'
import { appPath, endpointPath, factList, messagePath, section } from './section.ts'

export const params = z.object({ app_id: pathId('app') })

export const findApp = (db: DatabasePool, { orgId }: Pick<Member, 'orgId'>, id: string): Promise<rows.App> =>
  mustFind(rows.find(db, orgId, id), 'app')

export const read = page({
  path: '/hooks/apps/{app_id}',
  summary: 'Show an app with its endpoints and messages',
  section,
  permission: 'webhooks:read',
  params,
  query: z.object({ status: optionalField(messages.MessageStatus), before: Id.optional() }),
  async view({ db, member, may, region, params: { app_id: id }, query: { status, before } }) {
    const app = await findApp(db, member, id)
    const writes = may('webhooks:write')
    const list =
      before === undefined
        ? await region(`hooks-messages/${id}/${status ?? ''}`)
        : await messageList(db, id, { status, before })
    const main = html`${parentLink('Customer webhooks', section.path)}<div class="title"><h1>${app.name}</h1>${writes && html`<p class="actions"><a class="button" href="${appPath(id)}/messages/new">Send message</a> <a class="button primary" href="${appPath(id)}/portal">Open portal</a></p>`}</div>
${writes && appButtons(member, app)}
${factList(factsOf(app))}
<section><div class="title"><h2>Endpoints</h2>${writes && linkButton(`${appPath(id)}/endpoints/new`, 'Add endpoint')}</div>
${await region(`hooks-endpoints/${id}`)}</section>
<section><h2>Messages</h2>
${filterForm([{ name: 'status', label: 'Status', options: messages.MessageStatus.options }], { status }, { button: 'Filter messages' })}
${list}</section>`
    return { title: app.name, main }
  },
})

const appButtons = (member: Member, { id, disabled_at }: rows.App): Html =>
  html`<div class="actions"><a class="button" href="${appPath(id)}/edit">Edit app</a>
${disabled_at ? actionButton(member, `${appPath(id)}/enable`, 'Enable app') : actionButton(member, `${appPath(id)}/disable`, 'Disable app')}
<a class="button grave" href="${appPath(id)}/remove">Delete app</a></div>`

const factsOf = (app: rows.App) => {
  const rate = presentRate(app)
  const metadata = Object.entries(app.metadata).map(([key, value]) => `${key}=${value}`)
  return [
    [
      'Status',
      html`${statusBadge(app.disabled_at ? 'disabled' : 'enabled')}${app.disabled_at && html` <span class="quiet">Messages wait.</span>`}`,
    ],
    ['ID', copyable(app.id, 'the app ID')],
    ['Your ID', app.uid ?? quiet('none')],
    metadata.length > 0 && (['Metadata', metadata.join(', ')] as const),
    ['Rate limit', rate ? `${rate.limit} per ${rate.per}` : quiet('none')],
    ['Created', `${formatInstant(app.created_at)} UTC`],
  ] as const
}

/** Names of event types. A star subscribes to all of them. */
export const typeWords = (types: readonly string[]): string => (types.includes('*') ? 'all' : types.join(', '))

export const endpointState = ({ status, disabled_reason, failing_since }: Endpoint): Html => {
  if (status === 'disabled')
    return html`${statusBadge('disabled')}${disabled_reason && html` <span class="quiet">${disabled_reason}</span>`}`
  return html`${statusBadge(failing_since ? 'failing' : 'enabled')}${failing_since && html` <span class="quiet">since ${ago(failing_since)}</span>`}`
}

export const endpointRegion: OrgRegion = {
  everyMs: 3_000,
  permission: 'webhooks:read',
  async read(db, orgId, [given = '']) {
    const app = await findOwn(db, orgId, given)
    if (!app) return null
    const found = await endpoints.list(db, app.id, { where: everything, before: undefined, limit: 100 })
    if (found.length === 0)
      return emptyState('Endpoints appear here.', 'Your customer adds endpoints in the portal, or you add them here.')
    return dataTable({ caption: 'Endpoints', key: ({ id }) => id }, found, {
      Endpoint: (one) =>
        html`<a href="${endpointPath(app.id, one.id)}">${one.url}</a>${one.description && html` <span class="quiet">${one.description}</span>`}`,
      Status: (one) => endpointState(one),
      'Event types': ['break', (one) => typeWords(one.events)],
      Created: (one) => ago(one.created_at),
    })
  },
}

/** The newest messages. Only the first page is live. */
export const messageRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'webhooks:read',
  async read(db, orgId, [given = '', word]) {
    const app = await findOwn(db, orgId, given)
    const status = messages.MessageStatus.safeParse(word).data
    return app && (await messageList(db, app.id, { status, before: undefined }))
  },
}

async function findOwn(db: DatabasePool, orgId: string, given: string): Promise<rows.App | null> {
  return Id.safeParse(given).success ? await rows.find(db, orgId, given) : null
}

async function messageList(
  db: DatabasePool,
  appId: string,
  { status, before }: { status: messages.MessageStatus | undefined; before: string | undefined },
): Promise<Html> {
  const where = whereOf(messages.filters, { status })
  const { shown, older } = cutPage(await messages.list(db, appId, { where, before, limit: perPage + 1 }, { status }))
  if (shown.length === 0)
    return status
      ? emptyState('No messages match these filters.')
      : emptyState('Messages appear here.', 'A message is sent to the endpoints that subscribe to its event type.')
  return html`${dataTable({ caption: 'Messages', key: ({ id }) => id }, shown, {
    Message: (one) => html`<a href="${messagePath(appId, one.id)}">${one.type}</a>`,
    Status: (one) => messageState(one.status),
    'Your ID': ['break', (one) => one.event_id ?? quiet('none')],
    Created: (one) => ago(one.created_at),
  })}${older(appPath(appId), { status })}`
}

export const messageState = (status: messages.MessageStatus): Html =>
  status === 'unrouted' ? statusBadge('skipped', { shown: 'no endpoint' }) : statusBadge(status)
