import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/received.ts'
import { whereOf } from '#sql/filters.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { type FileView, viewFiles } from '#tasks/email/rules/received/event.ts'
import { findScanStates } from '#tasks/email/rules/received/files.ts'
import { receivedStorage } from '#tasks/email/rules/received/storage.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import type { DashboardSection, OrgRegion } from '../../http/dashboard/contents.ts'
import { sendMailFrame } from '../../http/dashboard/mail-frame.ts'
import { page, shared } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, amountOf, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { mailFrame } from './mail-views.ts'

export const section = {
  title: 'Received email',
  path: '/app/received',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/received',
  summary: 'List received email, newest first',
  section,
  permission: 'log:read',
  query: z.object({ from: optionalField(Address), route_id: optionalField(Id), before: Id.optional() }),
  async view({ db, member, query: { from, route_id, before } }) {
    const where = whereOf(rows.filters, { from, route_id })
    const found = await rows.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const { used, limit } = await receivedStorage(db, member.orgId)
    const main = html`<div class="title"><h1>Received email</h1><a class="button" href="/app/inbound-routes">Inbound routes</a></div>
${filterForm([{ name: 'from', label: 'From', type: 'email' }], { from }, { hidden: { route_id } })}
<p class="quiet">Received email uses ${amountOf('bytes', used)} of the ${amountOf('bytes', limit)} of storage available for it.</p>
${shown.length === 0 ? emptyState('No received email matches these filters.', 'Email sent to the addresses of your inbound routes appears here.') : mailTable(shown)}
${older(section.path, { from, route_id })}`
    return { title: 'Received email', main }
  },
})

const mailTable = (shown: readonly rows.ReceivedSummary[]): Html =>
  dataTable('Received email', shown, {
    From: (one) => html`<a href="/app/received/${one.id}">${one.from_email ?? (one.sender || 'no sender')}</a>`,
    Subject: ['break', (one) => one.subject ?? quiet('none')],
    To: ['break', (one) => one.recipient],
    'Sender verified': (one) => provenOf(one.authentication),
    Received: (one) => ago(one.created_at),
  })

const provenOf = (authentication: rows.Authentication | null): Html => {
  const result = authentication?.dmarc.result
  if (result === undefined) return quiet('processing')
  return statusBadge(result, { shown: result === 'none' ? 'no policy' : result })
}

export const read = page({
  path: '/received/{id}',
  summary: 'Show a received email',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('received email') }),
  async view({ db, doer, member, may, region, params: { id } }) {
    const mail = await mustFind(rows.find(db, member.orgId, id), 'received email')
    const title = mail.subject || 'No subject'
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'received_email', id })
    const main = html`${parentLink('Received email', section.path)}<h1>${title}</h1>
${await region(`${contents ? 'received' : 'received-facts'}/${id}`)}`
    return { title, main, reaches: { frames: ["'self'"] } }
  },
})

/** The HTML of a received email, for the frame of its page. It is untrusted, so no image is loaded. */
export const shown = route({
  ...shared,
  method: 'GET',
  path: '/received/{id}/shown',
  summary: 'Show the HTML of a received email',
  params: z.object({ id: pathId('received email') }),
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'contents:read' })
    if (!allowed) return
    const mail = await mustFind(rows.find(call.db, allowed.member.orgId, call.params.id), 'received email')
    await recordContentsRead(call.db, allowed.doer, { kind: 'received_email', id: mail.id })
    sendMailFrame(call.ctx, mail, 'desktop', { images: false })
  },
})

/** A received email while it is read and its files are scanned. */
const receivedRegion = (withContents: boolean): OrgRegion => ({
  everyMs: 3_000,
  permission: withContents ? 'contents:read' : 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const mail = id.success ? await rows.find(db, orgId, id.data) : null
    if (!mail) return null
    const files = viewFiles(mail, await findScanStates(db, mail))
    const facts = html`<dl class="facts">${factsOf(mail).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
    if (!withContents)
      return html`${facts}<section><h2>Text</h2>${emptyState('Your role cannot read the content of messages.')}</section>`
    return html`${facts}
${mail.reply && mail.reply !== mail.text?.trim() && html`<section><h2>Reply</h2><pre tabindex="0">${mail.reply}</pre></section>`}
<section><h2>Text</h2>${mail.text ? html`<pre tabindex="0">${mail.text}</pre>` : emptyState(mail.html ? 'This email has only an HTML part.' : 'This email has no text part.')}</section>
${mail.html && html`<section><h2>HTML</h2><p class="hint">External images are not loaded.</p><div class="mail-stage">${mailFrame(`/app/received/${mail.id}/shown`)}</div></section>`}
${files.length > 0 && fileTable(files)}
<section><h2>Header</h2>${dataTable('Header', mail.headers, {
      Field: ({ name }) => name,
      Value: ['break wide', ({ value }) => value],
    })}</section>`
  },
})

export const receivedRegions = { received: receivedRegion(true), 'received-facts': receivedRegion(false) }

function factsOf(mail: rows.Received): [string, Content][] {
  const checks = mail.authentication
  return [
    ['From', mail.from_name ? `${mail.from_name} <${mail.from_email}>` : (mail.from_email ?? 'no sender')],
    ['To', mail.recipient],
    ['Received', `${formatInstant(mail.created_at)} UTC`],
    ...(mail.replies_to
      ? [['In reply to', html`<a href="/app/mail/${mail.replies_to}">your message</a>`] as [string, Content]]
      : []),
    ...(checks
      ? ([
          ['SPF', `${checks.spf.result} ${checks.spf.domain}`],
          ['DKIM', checks.dkim.map(({ result, domain }) => `${result} ${domain}`).join(', ') || 'none'],
          ['DMARC', `${checks.dmarc.result} ${checks.dmarc.domain}`],
        ] as [string, Content][])
      : []),
    ...(mail.auto_submitted ? [['Written by', 'A program'] as [string, Content]] : []),
    ...(mail.no_auto_reply ? [['Automatic replies', 'Not allowed'] as [string, Content]] : []),
    ...(mail.fault ? [['Error', mail.fault] as [string, Content]] : []),
  ]
}

const fileTable = (files: readonly FileView[]): Html =>
  html`<section><h2>Files</h2>${dataTable('Files', files, {
    Name: ({ object_id, filename }) => (object_id ? html`<a href="/app/files/${object_id}">${filename}</a>` : filename),
    Type: ['break', ({ content_type }) => content_type],
    'Size in bytes': ['number', ({ bytes }) => bytes],
    'Malware scan': ({ scan_status }) => statusBadge(scan_status),
  })}</section>`
