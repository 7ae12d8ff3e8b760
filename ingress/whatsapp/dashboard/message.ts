import { z } from 'zod'
import { changeHidden, maskHidden } from '#lib/hidden-text.ts'
import { Id } from '#lib/ids.ts'
import * as media from '#sql/whatsapp/media.ts'
import * as rows from '#sql/whatsapp/messages.ts'
import * as statuses from '#sql/whatsapp/statuses.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { adviseOn } from './answers.ts'
import { renderBubble } from './bubble.ts'
import { findTemplates } from './conversation.ts'
import { messageBubble } from './message-bubble.ts'
import { section } from './section.ts'

export const read = page({
  path: '/whatsapp/messages/{message_id}',
  summary: 'Show a WhatsApp message and WhatsApp’s answer',
  section,
  permission: 'log:read',
  params: z.object({ message_id: pathId('message') }),
  async view({ db, member, may, doer, region, params }) {
    const found = await mustFind(rows.find(db, member.orgId, params.message_id), 'message')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'whatsapp_message', id: found.id })
    const title = `${found.direction === 'inbound' ? 'Message from' : 'Message to'} ${found.phone}`
    const bubble = contents && renderBubble(messageBubble(found, await findTemplates(db, member.orgId)))
    const main = html`${parentLink(found.phone, `${section.path}/conversations/${found.wa_id}`)}<h1>${title}</h1>
${await region(`whatsapp-message/${found.id}`)}
${
  bubble &&
  html`<section><h2>Message</h2><div class="chat">${bubble}</div></section>
<section><h2>Content</h2><p class="lead">The content in the format of WhatsApp’s Cloud API, under the name of its type.</p><details><summary>Show JSON</summary><pre tabindex="0">${JSON.stringify({ type: found.type, [found.type]: changeHidden(found.content, maskHidden) }, null, 2)}</pre></details></section>`
}`
    return { title, main }
  },
})

const instant = (at: Date): string => `${formatInstant(at)} UTC`

/** State of a message: the statuses that WhatsApp reported, its error, and what to do. */
export const messageRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await rows.find(db, orgId, id.data) : null
    if (!found) return null
    const told = await statuses.listForMessage(db, found.id)
    const file = found.direction === 'inbound' ? await media.find(db, found.id) : null
    return html`${found.error && faultOf(found.error)}
<dl class="facts"><div><dt>State</dt><dd>${statusBadge(found.status === 'sending' ? 'queued' : found.status)}</dd></div>
<div><dt>Type</dt><dd>${found.type}${found.fell_back && quiet(' fallback template')}</dd></div>
<div><dt>Message</dt><dd>${copyable(found.id, 'the message ID')}</dd></div>
<div><dt>ID at WhatsApp</dt><dd class="break">${found.provider_message_id ?? quiet('not accepted yet')}</dd></div>
<div><dt>Created</dt><dd>${instant(found.created_at)}</dd></div>
${found.status === 'queued' && html`<div><dt>Sends at</dt><dd>${instant(found.send_at)}</dd></div>`}
${found.client_reference && html`<div><dt>Your reference</dt><dd class="break">${found.client_reference}</dd></div>`}
${file && html`<div><dt>File</dt><dd>${file.object_id ? html`<a href="/app/files/${file.object_id}">${file.state}</a>` : file.state}${file.reason && html` ${quiet(file.reason)}`}</dd></div>`}</dl>
${found.direction === 'outbound' && html`<section><h2>Status history</h2>${historyOf(found, told)}</section>`}`
  },
}

const faultOf = (error: rows.MessageError): Html => html`<div class="fault"><p><b>${error.message}</b></p>
<p>${adviseOn(error)}</p>
<p class="quiet">${[`code ${error.code}`, error.provider_code !== null && `WhatsApp error ${error.provider_code}`, error.upstream_status !== null && `HTTP ${error.upstream_status}`].filter(Boolean).join(', ')}</p></div>`

/** Statuses in the order in which a message has them. WhatsApp can report them in another order. */
const order = ['accepted', 'sent', 'delivered', 'read', 'unknown', 'failed']

const placeOf = (status: string): number => order.indexOf(status)

const historyOf = ({ id, created_at }: rows.Message, told: readonly statuses.StatusRow[]): Html =>
  dataTable(
    { caption: 'Status history', key: ({ status }) => `${id}-${status}` },
    [
      { status: 'queued', at: created_at, error: null },
      ...told.toSorted((a, b) => placeOf(a.status) - placeOf(b.status)),
    ],
    {
      Status: ({ status, error }) => statusBadge(status, error ? { as: 'failed' } : {}),
      Time: ({ at }) => instant(at),
      'Answer of WhatsApp': [
        'wide break',
        ({ error }) =>
          error
            ? html`${error.provider_code !== null && html`<code>${error.provider_code}</code> `}${error.message}`
            : quiet('no error'),
      ],
    },
  )
