import { z } from 'zod'
import { getIdTime } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import { findThread } from '#sql/account/usage/request-thread.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { mostMinutes, openWindow, recordBodiesViewed } from '#tasks/account/rules/request-window.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { duration, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { factList } from './fields.ts'
import { section, statusMark } from './requests.ts'
import { threadView } from './thread.ts'

export const read = page({
  path: '/requests/{id}',
  summary: 'Show a request with its jobs and deliveries',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('request') }),
  async view({ db, member, may, doer, params: { id } }) {
    const found = await mustFind(requests.find(db, member.orgId, id), 'request')
    const key = await keys.find(db, member.orgId, found.key_id)
    const logged = found.request_head !== null || found.response_head !== null
    const contents = may('contents:read')
    const shown = logged && contents
    if (shown) await db.transaction((tx) => recordBodiesViewed(tx, doer, id))
    const followed = await findThread(db, found)
    const answered = followed.email.some(({ replies }) => replies.length > 0)
    if (contents && answered) await recordContentsRead(db, doer, { kind: 'request', id })
    const main = html`${parentLink('Requests', section.path)}<h1>${found.operation}</h1>
${factList(factsOf(found, key))}
${logged && bodies(found, shown)}
<section><h2>Jobs and deliveries</h2>${threadView(followed, contents)}</section>`
    return { title: found.operation, main }
  },
})

const factsOf = (found: requests.Request, key: keys.Key | null): (readonly [string, Content])[] => [
  ['Status', statusMark(found.status)],
  ['Time', `${formatInstant(new Date(getIdTime(found.id)))} UTC`],
  ['Duration', duration(found.ms / 1000)],
  ['API key', key ? html`<a href="/app/keys/${key.id}">${key.name}</a>` : quiet('dashboard, or a deleted key')],
  ['Network', found.network],
  ['Request', html`<span class="id">${found.id}</span>`],
  ...(found.client_id ? [['Your request ID', html`<span class="id">${found.client_id}</span>`] as const] : []),
  ...(found.code ? [['Error', html`<code>${found.code}</code>`] as const] : []),
  ...(found.error?.fields.length ? [['Fields', found.error.fields.join(', ')] as const] : []),
  ...(found.resource_id ? [['Created object', html`<span class="id">${found.resource_id}</span>`] as const] : []),
  ...(found.sdk ? [['Client', found.sdk] as const] : []),
]

const bodies = ({ request_head, response_head }: requests.Request, shown: boolean): Html =>
  shown
    ? html`<section><h2>Bodies</h2><p class="quiet">The start of each body, with secrets masked. The audit log records that you viewed it.</p>
<h3>Request</h3><pre>${request_head ?? 'none'}</pre><h3>Response</h3><pre>${response_head ?? 'none'}</pre></section>`
    : html`<section><h2>Bodies</h2><p class="quiet">The bodies were logged. Your role cannot view them.</p></section>`

export const window = action({
  path: '/keys/{id}/window',
  summary: 'Log request bodies of an API key',
  permission: 'contents:read',
  params: z.object({ id: pathId('key') }),
  back: ({ id }) => `/app/keys/${id}`,
  async perform({ db, doer, member, params: { id } }) {
    await mustFind(keys.find(db, member.orgId, id), 'key')
    const { ends_at } = await db.transaction((tx) =>
      openWindow(tx, doer, { key_id: id, minutes: Math.min(15, mostMinutes) }),
    )
    return {
      to: `/app/keys/${id}`,
      told: `Bodies are logged until ${formatInstant(ends_at)} UTC, with secrets masked.`,
    }
  },
})
