import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as apps from '#sql/hooks/apps.ts'
import * as endpoints from '#sql/hooks/endpoints.ts'
import * as rows from '#sql/hooks/messages.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { deletePayload } from '../messages.ts'
import { findApp, messageState } from './app.ts'
import { appPath, endpointPath, factList, messagePath, section } from './section.ts'

const params = z.object({ app_id: pathId('app'), message_id: pathId('message') })

export const read = page({
  path: '/hooks/apps/{app_id}/messages/{message_id}',
  summary: 'Show a message to an app with its attempts',
  section,
  permission: 'webhooks:read',
  params,
  async view({ db, member, may, doer, region, params: { app_id, message_id } }) {
    const app = await findApp(db, member, app_id)
    const found = await mustFind(rows.find(db, app.id, message_id), 'message')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'hooks_message', id: message_id })
    const gone = found.payload_deleted_at !== null
    const writes = may('webhooks:write')
    const { sent, urls } = await loadDeliveries(db, app.id, message_id)
    const main = html`${parentLink(app.name, appPath(app_id))}<h1>${found.type}</h1>
${await region(`hooks-message/${app_id}/${message_id}`)}
<section><h2>Payload</h2>${gone ? emptyState('The payload was deleted.') : contents ? html`<pre tabindex="0" aria-label="Payload">${JSON.stringify(found.data, null, 2).slice(0, 40_000)}</pre>` : emptyState('Your role cannot view payloads and responses.')}
${!gone && writes && html`<div class="actions">${actionButton(member, `${messagePath(app_id, message_id)}/delete-payload`, 'Delete payload', { grave: true })}</div>`}</section>
<section><h2>Responses</h2>${contents ? html`${sent.map((one) => responsePart(one, urls.get(one.endpoint_id) ?? '', writes && !gone && actionButton(member, `${messagePath(app_id, message_id)}/resend`, 'Resend', { fields: { endpoint_id: one.endpoint_id } })))}` : emptyState('Your role cannot view payloads and responses.')}</section>`
    return { title: found.type, main }
  },
})

/** State of a message, and its deliveries by endpoint. */
export const messageStateRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'webhooks:read',
  async read(db, orgId, [appId = '', id = '']) {
    const app = Id.safeParse(appId).success ? await apps.find(db, orgId, appId) : null
    const found = app && Id.safeParse(id).success ? await rows.find(db, app.id, id) : null
    if (!app || !found) return null
    const { sent, urls } = await loadDeliveries(db, app.id, id)
    return html`${factList(factsOf(found))}
<section><h2>Deliveries</h2>${sent.length === 0 ? emptyState('No endpoint receives this message.', 'To send it to an endpoint that you add later, select Recover messages on the page of the endpoint.') : deliveryTable(app.id, sent, urls)}</section>`
  },
}

const factsOf = ({ tags, channels, ...found }: rows.Message) =>
  [
    ['Status', messageState(found.status)],
    ['ID', copyable(found.id, 'the message ID')],
    found.event_id !== null && (['Your ID', found.event_id] as const),
    tags !== null && tags.length > 0 && (['Tags', tags.join(', ')] as const),
    channels !== null && channels.length > 0 && (['Channels', channels.join(', ')] as const),
    found.deliver_at !== null && (['First attempt', `${formatInstant(found.deliver_at)} UTC`] as const),
    found.payload_until !== null && (['Payload deletion', `${formatInstant(found.payload_until)} UTC`] as const),
    ['Created', `${formatInstant(found.created_at)} UTC`],
  ] as const

/** Maximum number of deliveries on the page. An app has fewer endpoints. */
const perMessage = 100

async function loadDeliveries(db: DatabasePool, appId: string, messageId: string) {
  const [sent, known] = await Promise.all([
    rows.listDeliveries(db, messageId, { before: undefined, limit: perMessage }),
    endpoints.list(db, appId, { where: everything, before: undefined, limit: perMessage }),
  ])
  return { sent, urls: new Map(known.map(({ id, url }) => [id, url])) }
}

const deliveryTable = (appId: string, sent: readonly rows.Delivery[], urls: ReadonlyMap<string, string>): Html =>
  dataTable({ caption: 'Deliveries', key: ({ id }) => id }, sent, {
    Endpoint: (one) =>
      html`<a href="${endpointPath(appId, one.endpoint_id)}">${urls.get(one.endpoint_id) ?? one.endpoint_id}</a>`,
    Status: (one) => deliveryState(one),
    Attempts: ['number', (one) => one.attempts],
    Response: ['break', (one) => responseOf(one)],
    Time: (one) => ago(one.attempted_at ?? one.created_at),
  })

export const deliveryState = ({ status, due_at }: Pick<rows.Delivery, 'status' | 'due_at'>): Html =>
  html`${statusBadge(status)}${status === 'pending' && due_at > new Date() && html` <span class="quiet">next attempt ${ago(due_at)}</span>`}`

export const responseOf = ({
  response_status,
  latency_ms,
  error,
}: Pick<rows.Delivery, 'response_status' | 'latency_ms' | 'error'>): Html =>
  html`${response_status ?? quiet('none')}${latency_ms !== null && html` <span class="quiet">${latency_ms} ms</span>`}${error && html` <span class="bad">${error}</span>`}`

function responsePart(one: rows.Delivery, url: string, resend: Html | false): Html {
  const headers = Object.entries(one.response_headers ?? {}).map(([name, value]) => `\n${name}: ${value}`)
  const log = (one.attempt_log ?? []).map((attempt, i) => ({ ...attempt, number: i + 1 })).reverse()
  return html`<section><h3 class="break">${url}</h3>
${
  one.response_status === null
    ? emptyState(
        one.attempts === 0 ? 'The response appears here after the first attempt.' : 'The server did not respond.',
      )
    : html`<pre tabindex="0" aria-label="Response of ${url}">${one.response_status}${headers}

${one.response_head || '(empty body)'}</pre>`
}
${
  log.length > 0 &&
  dataTable({ caption: `Attempts to ${url}`, key: ({ number }) => String(number) }, log, {
    Time: ['', ({ at }) => html`${formatInstant(at)} UTC`],
    Status: ({ status }) => status ?? quiet('no response'),
    Duration: ['number', ({ ms }) => `${ms} ms`],
    Error: ['break', ({ error }) => error ?? quiet('none')],
  })
}
${resend && html`<div class="actions">${resend}</div>`}</section>`
}

const back = ({ app_id, message_id }: z.output<typeof params>) => messagePath(app_id, message_id)

export const forget = action({
  path: '/hooks/apps/{app_id}/messages/{message_id}/delete-payload',
  summary: 'Delete the payload of a message to an app',
  permission: 'webhooks:write',
  params,
  back,
  async perform({ ask, params }) {
    await ask(deletePayload, { params: { app: params.app_id, id: params.message_id } }, z.unknown())
    return { to: back(params), told: 'Payload deleted. No further attempt follows.' }
  },
})
