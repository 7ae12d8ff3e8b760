import { z } from 'zod'
import { getIdTime } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import { findThread } from '#sql/account/usage/request-thread.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { mostMinutes, openWindow, recordBodiesViewed } from '#tasks/account/rules/request-window.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { selectField } from '../../http/html/form.ts'
import { duration, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { parentLink, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { catalogue } from '../../http/services.ts'
import { factList } from './fields.ts'
import { callOf, issuesOf, section, statusMark } from './requests.ts'
import { threadView } from './thread.ts'

export const read = page({
  path: '/requests/{id}',
  summary: 'Show a request with its jobs and deliveries',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('request') }),
  async view({ db, member, may, doer, params: { id }, services }) {
    const found = await mustFind(requests.find(db, member.orgId, id), 'request')
    const key = await keys.find(db, member.orgId, found.key_id)
    const logged = found.request_head !== null || found.response_head !== null
    const contents = may('contents:read')
    const shown = logged && contents
    if (shown) await db.transaction((tx) => recordBodiesViewed(tx, doer, id))
    const followed = await findThread(db, found)
    const answered = followed.email.some(({ replies }) => replies.length > 0)
    if (contents && answered) await recordContentsRead(db, doer, { kind: 'request', id })
    const main = html`${parentLink('Requests', section.path)}<h1>${callOf(found, services(catalogue))}</h1>
${factList(factsOf(found, key))}
${issueList(found)}
${logged ? bodies(found, shown) : contents && key?.revoked_at === null && windowForm(member, key)}
<section><h2>Jobs and deliveries</h2>${threadView(followed, contents)}</section>`
    return { title: found.operation, main }
  },
})

const factsOf = (found: requests.Request, key: keys.Key | null): (readonly [string, Content])[] => [
  ['Status', statusMark(found.status)],
  ['Operation', html`<code>${found.operation}</code>`],
  ['Time', `${formatInstant(new Date(getIdTime(found.id)))} UTC`],
  ['Duration', duration(found.ms / 1000)],
  ['API key', key ? html`<a href="/app/keys/${key.id}">${key.name}</a>` : quiet('dashboard, or a deleted key')],
  ['Network', found.network],
  ['Request', html`<span class="id">${found.id}</span>`],
  ...(found.client_id ? [['Your request ID', html`<span class="id">${found.client_id}</span>`] as const] : []),
  ...(found.code ? [['Error', html`<code>${found.code}</code>`] as const] : []),
  ...(found.resource_id ? [['Created object', html`<span class="id">${found.resource_id}</span>`] as const] : []),
  ...(found.sdk ? [['Client', found.sdk] as const] : []),
]

function issueList({ error }: requests.Request): Html | undefined {
  const issues = issuesOf(error)
  if (issues.length === 0) return undefined
  return html`<section><h2>Issues</h2><ul class="plain-list">${issues.map(({ field, issue }) => html`<li>${field && html`<code>${field}</code> `}${issue}</li>`)}</ul>
<p class="quiet">Values of the request are masked.</p></section>`
}

const windowForm = (member: Member, { id, name }: keys.Key): Html => html`<section><h2>Bodies</h2>
<p class="lead">The bodies of this request were not logged. You can log the bodies of the next requests with ${name}. Secrets are masked.</p>
<form class="form" method="post" action="/app/keys/${id}/window">${tokenField(member)}
${selectField({ given: {}, faults: {} }, { name: 'minutes', label: 'Duration', options: windowLengths, otherwise: '15' })}
<button>Log bodies</button></form></section>`

const windowLengths = [5, 15, 60].map((minutes) => [String(minutes), `${minutes} minutes`] as const)

const bodies = ({ request_head, response_head }: requests.Request, shown: boolean): Html =>
  shown
    ? html`<section><h2>Bodies</h2><p class="quiet">The start of each body, with secrets masked. The audit log records that you viewed it.</p>
<div class="exchange"><div><h3>Request</h3><pre tabindex="0">${pretty(request_head)}</pre></div><div><h3>Response</h3><pre tabindex="0">${pretty(response_head)}</pre></div></div></section>`
    : html`<section><h2>Bodies</h2><p class="quiet">The bodies were logged. Your role cannot view them.</p></section>`

/** Indents a body. The start of a longer body is unchanged. */
function pretty(body: string | null): string {
  if (body === null) return 'none'
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return `${body}…`
  }
}

export const window = action({
  path: '/keys/{id}/window',
  summary: 'Log request bodies of an API key',
  permission: 'contents:read',
  params: z.object({ id: pathId('key') }),
  fields: z.object({ minutes: z.coerce.number().int().min(1).max(mostMinutes).default(15) }),
  back: ({ id }) => `/app/keys/${id}`,
  async perform({ db, doer, member, params: { id }, given: { minutes } }) {
    await mustFind(keys.find(db, member.orgId, id), 'key')
    const { ends_at } = await db.transaction((tx) => openWindow(tx, doer, { key_id: id, minutes }))
    return {
      to: `/app/keys/${id}`,
      told: `Bodies are logged until ${formatInstant(ends_at)} UTC, with secrets masked.`,
    }
  },
})
