import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/sms/messages.ts'
import * as providers from '#sql/sms/providers.ts'
import * as statuses from '#sql/sms/statuses.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { adviseOn } from './answers.ts'
import { providersPath, section } from './section.ts'

export const read = page({
  path: '/sms/messages/{message_id}',
  summary: 'Show a text message and the provider’s answer',
  section,
  permission: 'log:read',
  params: z.object({ message_id: pathId('message') }),
  async view({ db, member, may, doer, region, params }) {
    const found = await mustFind(rows.find(db, member.orgId, params.message_id), 'message')
    const contents = may('contents:read') && !found.is_sensitive
    if (contents) await recordContentsRead(db, doer, { kind: 'sms_message', id: found.id })
    const title = `${found.direction === 'inbound' ? 'Message from' : 'Message to'} ${found.phone}`
    const main = html`${parentLink('SMS', section.path)}<h1>${title}</h1>
${await region(`sms-message/${found.id}`)}
${contents && html`<section><h2>Text</h2><pre tabindex="0" aria-label="Text">${found.text}</pre></section>`}
${found.is_sensitive && html`<section><h2>Text</h2><p class="quiet">This message contains a secret. Its text is not shown.</p></section>`}`
    return { title, main }
  },
})

export const finders = [findById('Text message', `${section.path}/messages`, rows.find, { permission: 'log:read' })]

const instant = (at: Date): string => `${formatInstant(at)} UTC`

/** State of a message: the statuses that the provider reported, its error, and what to do. */
export const messageRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await rows.find(db, orgId, id.data) : null
    if (!found) return null
    const told = await statuses.listForMessage(db, found.id)
    const provider = found.provider_id === null ? null : await providers.find(db, orgId, found.provider_id)
    return html`${found.error && faultOf(found.error)}
<dl class="facts"><div><dt>State</dt><dd>${statusBadge(found.status === 'sending' ? 'queued' : found.status)}</dd></div>
<div><dt>Sender</dt><dd>${found.direction === 'inbound' ? found.phone : (found.sender ?? quiet('chosen by the provider'))}</dd></div>
<div><dt>Provider</dt><dd>${provider ? html`<a href="${providersPath}/${provider.id}">${provider.name}</a>` : quiet('removed')}</dd></div>
<div><dt>Segments</dt><dd>${found.segments} ${quiet(found.encoding === 'gsm7' ? 'GSM alphabet' : 'Unicode')}</dd></div>
<div><dt>Message</dt><dd>${copyable(found.id, 'the message ID')}</dd></div>
<div><dt>ID at the provider</dt><dd class="break">${found.provider_message_id ?? quiet('none yet')}</dd></div>
<div><dt>Created</dt><dd>${instant(found.created_at)}</dd></div>
${found.keyword && html`<div><dt>Keyword</dt><dd>${found.keyword}</dd></div>`}
${found.client_reference && html`<div><dt>Your reference</dt><dd class="break">${found.client_reference}</dd></div>`}</dl>
${found.direction === 'outbound' && html`<section><h2>Status history</h2>${historyOf(found, told)}</section>`}`
  },
}

const faultOf = (error: rows.MessageError): Html => html`<div class="fault"><p><b>${error.message}</b></p>
<p>${adviseOn(error)}</p>
<p class="quiet">code ${error.code}${error.provider_code !== null && html`, provider code ${error.provider_code}`}</p></div>`

const historyOf = ({ id, created_at }: rows.Message, told: readonly statuses.StatusRow[]): Html =>
  dataTable(
    { caption: 'Status history', key: ({ status }) => `${id}-${status}` },
    [{ status: 'queued', at: created_at, error: null }, ...told],
    {
      Status: ({ status, error }) => statusBadge(status, error ? { as: 'failed' } : {}),
      Time: ({ at }) => instant(at),
      'Answer of the provider': [
        'wide break',
        ({ error }) =>
          error
            ? html`${error.provider_code !== null && html`<code>${error.provider_code}</code> `}${error.message}`
            : quiet('no error'),
      ],
    },
  )
