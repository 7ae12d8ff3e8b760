import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/verify/verifications.ts'
import { maskRecipient } from '#tasks/verify/rules/recipients.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { cancel } from '../verifications.ts'
import { channelName, section, verificationState } from './verifications.ts'

const params = z.object({ id: pathId('verification') })

const live = (orgId: string): rows.Owner => ({ orgId, sandbox: false })

export const read = page({
  path: '/verify/{id}',
  summary: 'Show a verification',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, region, params: { id } }) {
    const found = await mustFind(rows.find(db, live(member.orgId), id), 'verification')
    const isOpen = found.shown === 'pending' || found.shown === 'undeliverable'
    const stop =
      isOpen && may('areas:write') && actionButton(member, `${section.path}/${id}/cancel`, 'Cancel', { grave: true })
    const title = `Code to ${maskRecipient(found.recipient)}`
    const main = html`${parentLink('Verification codes', section.path)}<div class="title"><h1>${title}</h1>${stop && html`<span data-while-open>${stop}</span>`}</div>
${await region(`verification/${id}`)}
${may('contents:read') && Object.keys(found.metadata).length > 0 && html`<section><h2>Metadata</h2>${metadataTable(found.metadata)}</section>`}`
    return { title, main }
  },
})

/** State of a verification and of the delivery of its last code. */
export const verificationRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await rows.find(db, live(orgId), id.data) : null
    if (!found) return null
    const advice = found.reason === null ? undefined : reasons[found.reason]
    return html`${advice && html`<p class="lead">${advice}</p>`}
<dl class="facts"${found.ended_at !== null && html` data-ended`}><div><dt>Status</dt><dd>${verificationState(found)}</dd></div>
<div><dt>Channel</dt><dd>${channelName(found.channel)}</dd></div>
<div><dt>Delivery</dt><dd>${statusBadge(found.delivery, { as: found.delivery === 'blocked' ? 'denied' : found.delivery })}${found.reason && html` <span class="quiet">${found.reason.replaceAll('_', ' ')}</span>`}</dd></div>
<div><dt>Checked codes</dt><dd>${found.attempts} of ${found.max_attempts}</dd></div>
<div><dt>Requested codes</dt><dd>${found.sends} of ${found.max_sends}</dd></div>
<div><dt>User</dt><dd>${found.user_id ?? quiet('not linked to a user')}</dd></div>
<div><dt>Country</dt><dd>${found.country ?? quiet('–')}</dd></div>
<div><dt>Guard token</dt><dd>${found.guarded ? 'used' : quiet('none')}</dd></div>
<div><dt>Created</dt><dd>${timeOf(found.created_at)}</dd></div>
<div><dt>Expires</dt><dd>${timeOf(found.expires_at)}</dd></div>
<div><dt>Ended</dt><dd>${timeOf(found.ended_at)}</dd></div>
<div><dt>Message</dt><dd>${messageLink(found)}</dd></div>
<div><dt>Verification</dt><dd>${copyable(found.id, 'the verification ID')}</dd></div></dl>`
  },
}

const reasons: Readonly<Record<string, string>> = {
  prefix_blocked: 'The range of this phone number is blocked. The person gets no codes until you allow the range.',
  suppressed: 'The email address is suppressed because of an earlier bounce or complaint.',
  key_revoked: 'The API key was revoked before the code was sent.',
  too_many_attempts: 'Too many wrong codes were entered. Start another verification.',
  no_answer: 'The person did not answer the call.',
}

/** Pages of messages in the areas that send them. */
const places: Readonly<Partial<Record<rows.Channel, string>>> = {
  email: '/app/mail',
  sms: '/app/sms/messages',
  whatsapp: '/app/whatsapp/messages',
  voice: '/app/calls',
}

function messageLink({ channel, message_id }: rows.Verification): Html {
  if (message_id === null) return quiet('none')
  const place = places[channel]
  return place === undefined
    ? copyable(message_id, 'the message ID')
    : html`<a href="${place}/${message_id}">Open the message</a>`
}

const timeOf = (at: Date | null): Html => (at === null ? quiet('–') : html`${formatInstant(at)} UTC`)

const metadataTable = (metadata: Readonly<Record<string, string>>): Html =>
  dataTable('Metadata', Object.entries(metadata), { Name: ([name]) => name, Value: ['break', ([, value]) => value] })

export const stop = action({
  path: '/verify/{id}/cancel',
  summary: 'Cancel a verification',
  permission: 'areas:write',
  params,
  back: ({ id }) => `${section.path}/${id}`,
  async perform({ ask, params }) {
    await ask(cancel, { params }, z.unknown())
    return { to: `${section.path}/${params.id}`, told: 'Verification cancelled.' }
  },
})
