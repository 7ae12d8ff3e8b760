import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Reason } from '#sql/email/contacts/suppressions.ts'
import * as attempts from '#sql/email/delivery/attempts.ts'
import * as traffic from '#sql/email/delivery/traffic.ts'
import * as imports from '#sql/email/imports.ts'
import * as inbound from '#sql/email/inbound.ts'
import { findWaiting } from '#tasks/email/rules/waiting.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { page } from '../../http/console/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, queryString } from '../../http/html/html.ts'
import { olderLink } from '../../http/html/paging.ts'
import { mustFind } from '../../http/must-find.ts'
import { attemptTable } from '../attempt-table.ts'

export const mail = { title: 'Email', path: '/ops/mail', group: 'Messaging' } as const

const perPage = 100

const find = (
  value = '',
  fault?: string,
): Html => html`${filterForm([{ name: 'find', label: 'Message ID or suppressed address' }], { find: value }, { button: 'Find' })}
${fault && html`<p class="fault" role="alert">${fault}</p>`}`

export const overview = page({
  path: '/mail',
  summary: 'Show the state of email delivery',
  section: mail,
  query: z.object({ find: z.string().max(400).optional() }),
  async view({ db, ctx, region, query }) {
    const wanted = query.find?.trim().toLowerCase().replace(/^</, '').split('@', 1)[0] ?? ''
    const message = Id.safeParse(wanted).success ? await traffic.findMessage(db, wanted) : null
    if (message) ctx.redirect(`/ops/mail/messages/${message.id}`)
    else if (query.find?.includes('@'))
      ctx.redirect(`/ops/mail/suppressions${queryString({ start: query.find.trim() })}`)
    if (message || query.find?.includes('@')) return { title: 'Email', main: html`<h1>Email</h1>`, status: 303 }
    const fault = query.find ? 'Message not found. It may have been deleted.' : undefined
    const main = html`<div class="title"><h1>Email</h1><p class="actions"><a href="/ops/mail/suppressions">Suppressed addresses</a> <a href="/ops/mail/consents">Imported consents</a></p></div>
${find(query.find, fault)}${await region('mail')}`
    return { title: 'Email', main }
  },
})

export const suppressions = page({
  path: '/mail/suppressions',
  summary: 'List suppressed addresses',
  section: mail,
  query: z.object({ start: z.string().max(320).optional(), after: z.string().max(400).optional().transform(position) }),
  async view({ db, query: { start = '', after } }) {
    const found = await traffic.listSuppressed(db, { start: start.toLowerCase().trim(), after, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`<p class="trail"><a href="/ops/mail">Email</a></p><h1>Suppressed addresses</h1>
${filterForm([{ name: 'start', label: 'Address starts with' }], { start }, { button: 'Search' })}
${shown.length === 0 ? html`<p class="empty">No suppressed addresses${start && ' that start with this text'}.</p>` : suppressionTable(shown)}
${last && olderLink('/ops/mail/suppressions', { start, after: `${last.email} ${last.org_id} ${last.reason}` }, 'More')}`
    return { title: 'Suppressed addresses', main }
  },
})

/** Parses the position of the next page. If the text is invalid, the list starts at the beginning. */
function position(text: string | undefined): traffic.Position | undefined {
  const [email = '', org_id = '', given] = text?.split(' ') ?? []
  const reason = Reason.safeParse(given).data
  return Id.safeParse(org_id).success && reason ? { email, org_id, reason } : undefined
}

const suppressionTable = (shown: readonly z.infer<typeof traffic.SuppressionView>[]): Html =>
  dataTable('Suppressed addresses', shown, {
    'Email address': ({ email }) => email,
    Organisation: ({ org }) => org,
    Reason: ({ reason, message_id }) =>
      message_id ? html`<a href="/ops/mail/messages/${message_id}">${reason}</a>` : reason,
    Details: ['error wide', ({ detail }) => detail],
    Since: ({ created_at }) => ago(created_at),
  })

const mostImports = 100

export const consents = page({
  path: '/mail/consents',
  summary: 'List imports of consents',
  section: mail,
  async view({ db }) {
    const found = await imports.listConsents(db, mostImports)
    const main = html`<p class="trail"><a href="/ops/mail">Email</a></p><h1>Imported consents</h1>
<p class="lead">Imported contacts are unconfirmed. If you have checked the evidence of consent, you can vouch for an import.</p>
${found.length === 0 ? html`<p class="empty">No imports of consents.</p>` : importTable(found)}`
    return { title: 'Imported consents', main }
  },
})

const importTable = (found: readonly (imports.Import & { org: string })[]): Html =>
  dataTable('Imports of consents, newest first', found, {
    Organisation: ({ org }) => org,
    Status: ({ status }) => status,
    Rows: ['number', ({ rows }) => rows],
    Imported: ['number', ({ imported }) => imported],
    Invalid: ['number', ({ invalid }) => invalid],
    Created: ({ created_at }) => ago(created_at),
    Vouched: ({ id, vouched_at, vouch_reason }) =>
      vouched_at === null
        ? confirmLink('vouch-import', { import: id }, 'Vouch', 'for this import')
        : (vouch_reason ?? 'yes'),
  })

export const message = page({
  path: '/mail/messages/{messageId}',
  summary: 'Show the delivery route of a message',
  section: mail,
  params: z.object({ messageId: Id }),
  async view({ db, params: { messageId } }) {
    const found = await mustFind(traffic.findMessage(db, messageId), 'message')
    const [route, returned, wait] = await Promise.all([
      attempts.list(db, found.org_id, messageId),
      inbound.list(db, 20, messageId),
      findWaiting(db, found),
    ])
    const facts: [string, Content][] = [
      ['Organisation', found.org],
      ['Status', html`${found.status}${found.reply_class && ` (${found.reply_class})`}`],
      ['Stream', found.stream],
      ['From', found.from_email],
      ['To', html`${found.to_email}${found.recipient !== 'to' && ` (${found.recipient})`}`],
      ...(found.copy_of
        ? [['Copy of', html`<a href="/ops/mail/messages/${found.copy_of}">${found.copy_of}</a>`] as [string, Content]]
        : []),
      ...(found.send_at ? [['Scheduled for', html`${formatInstant(found.send_at)} UTC`] as [string, Content]] : []),
      ...(found.tags.length > 0
        ? [['Tags', found.tags.map(({ name, value }) => `${name}:${value}`).join(', ')] as [string, Content]]
        : []),
      ['Accepted', html`${formatInstant(found.created_at)} UTC`],
      ['Message-ID', found.message_id],
      ['Reason', found.reason ?? '–'],
    ]
    const main = html`<p class="trail"><a href="/ops/mail">Email</a></p><h1>Message <span class="id">${messageId}</span></h1>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Delivery route</h2>${route.length === 0 ? html`<p class="empty">No delivery attempts yet.</p>` : route.map(attemptTable)}
${wait && html`<p>${wait.reason} Next attempt: ${formatInstant(wait.until)} UTC.</p>`}</section>
${
  returned.length > 0 &&
  html`<section><h2>Bounces and reports</h2><ul class="groups">${returned.map(
    ({ kind, detail, remote_address, created_at }) =>
      html`<li>${kind} from ${remote_address} ${ago(created_at)} <span class="quiet">${detail}</span></li>`,
  )}</ul></section>`
}`
    return { title: `Message to ${found.to_email}`, main }
  },
})
