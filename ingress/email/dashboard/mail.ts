import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as attempts from '#sql/email/attempts.ts'
import * as messages from '#sql/email/messages.ts'
import { ago, duration, instant } from '../../http/console/format.ts'
import { type Html, html } from '../../http/console/html.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { optional, selectField, textField } from '../../http/dashboard/form.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { empty, faultOf, older, tokenField, trail } from '../../http/dashboard/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create } from '../messages.ts'
import { choice } from './choice.ts'

/** Where the navigation leads to. */
export const section = {
  title: 'Mail',
  path: '/app/mail',
  group: 'Messaging',
  permission: 'log:read',
} as const satisfies DashboardSection

const perPage = 50

const query = z.object({
  status: optional(messages.Status),
  stream: optional(messages.Stream),
  to: optional(Address),
  before: Id.optional(),
})

/** `GET /app/mail`: messages, newest first, by what became of them. */
export const overview = page({
  path: '/mail',
  summary: 'Messages, newest first',
  section,
  permission: 'log:read',
  query,
  async view({ db, member, may, query: { status, stream, to, before } }) {
    const filter = { status, stream, to, campaignId: undefined }
    const found = await messages.list(db, member.orgId, { ...filter, before, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`<div class="title"><h1>Mail</h1>${may('areas:write') && html`<a class="button primary" href="/app/mail/new">Send a mail</a>`}</div>
${filterForm({ status, stream, to })}
${shown.length === 0 ? empty('No message is here that fits.', 'Mail is kept in this list whether it was sent from here or by the API.') : messageTable(shown)}
${last && older('/app/mail', { status, stream, to, before: last.id })}`
    return { title: 'Mail', main }
  },
})

const filterForm = ({
  status,
  stream,
  to = '',
}: Pick<z.output<typeof query>, 'status' | 'stream' | 'to'>): Html => html`<form class="filter" role="search">
<div><label for="status">State</label>${choice('status', messages.Status.options, status)}</div>
<div><label for="stream">Stream</label>${choice('stream', messages.Stream.options, stream)}</div>
<div class="wide"><label for="to">To</label><input id="to" name="to" type="email" value="${to}"></div>
<div class="send"><button>Filter</button></div></form>`

const messageTable = (shown: readonly messages.Message[]): Html => html`<table class="data stacks">
<caption class="unseen">Messages</caption>
<thead><tr><th scope="col">To</th><th scope="col">Subject</th><th scope="col">State</th><th scope="col">Stream</th><th scope="col">Accepted</th></tr></thead>
<tbody>${shown.map(
  (
    one,
  ) => html`<tr><th scope="row" class="break"><a href="/app/mail/${one.id}">${one.to_email}</a></th><td class="break" data-label="Subject">${one.subject}</td>
<td data-label="State">${stateOf(one)}</td><td data-label="Stream">${one.stream}</td><td data-label="Accepted">${ago(one.created_at)}</td></tr>`,
)}</tbody></table>`

const bad: readonly string[] = ['bounced', 'failed', 'suppressed', 'complained']

const stateOf = ({ status, sandbox }: Pick<messages.Message, 'status' | 'sandbox'>): Html =>
  html`<span class="${bad.includes(status) && 'bad'}">${status}</span>${sandbox && html` <span class="quiet">test</span>`}`

/** `GET /app/mail/{id}`: one message, and how it went from server to server. */
export const read = page({
  path: '/mail/{id}',
  summary: 'A message and its delivery route',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('message') }),
  async view({ db, member, params: { id } }) {
    const found = await mustFind(messages.find(db, member.orgId, id), 'message')
    const route = await attempts.list(db, member.orgId, id)
    const main = html`${trail('Mail', section.path)}<h1>${found.subject}</h1>
<dl class="facts">${facts(found).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Delivery route</h2>${route.length === 0 ? empty(found.sandbox ? 'A test message is recorded, and handed to nobody.' : 'No server has been tried yet.') : route.map(attemptOf)}</section>`
    return { title: found.subject, main }
  },
})

function facts(found: messages.Message): [string, Html | string][] {
  const instants = (
    ['sent_at', 'delivered_at', 'deferred_at', 'bounced_at', 'failed_at', 'complained_at'] as const
  ).flatMap((name): [string, string][] => {
    const at = found[name]
    return at ? [[name.replace('_at', ''), `${instant(at)} UTC`]] : []
  })
  return [
    ['State', stateOf(found)],
    ['To', found.to_email],
    ['From', found.from_email],
    ['Stream', found.stream],
    ['Message-ID', html`<span class="id">${found.message_id}</span>`],
    ['accepted', `${instant(found.created_at)} UTC`],
    ...instants,
    ...(found.reason ? [['Why', found.reason] as [string, string]] : []),
  ]
}

const attemptOf = (
  one: Awaited<ReturnType<typeof attempts.list>>[number],
): Html => html`<section class="attempt"><h3>${one.number}. ${one.outcome} <span class="quiet">${instant(one.started_at)} UTC, ${duration((one.ended_at.getTime() - one.started_at.getTime()) / 1000)}</span></h3>
<p class="quiet">${one.mx_host ?? 'no server'}${one.mx_address && ` (${one.mx_address})`}${one.local_address && `, from ${one.local_address}`}</p>
<pre>${one.replies.map((reply) => `${JSON.stringify(reply)}\n`)}</pre></section>`

const limit = 100_000

/** `/app/mail/new`: sends one mail, or has a look at what a test one would be. */
export const { show: askForMail, submit: send } = formPage({
  path: '/mail/new',
  summary: 'Send a mail',
  section,
  permission: 'areas:write',
  fields: z.object({
    from: z.string(),
    to: z.string(),
    stream: z.string(),
    subject: z.string().max(1_000),
    text: z.string().max(limit),
  }),
  async view({ member, filled, fault }) {
    const main = html`${trail('Mail', section.path)}<h1>Send a mail</h1>${faultOf(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'from', label: 'From', type: 'email', required: true, hint: 'An address of a verified domain.' })}
${textField(filled, { name: 'to', label: 'To', type: 'email', required: true, otherwise: member.email })}
${selectField(filled, { name: 'stream', label: 'Stream', options: ['transactional', 'security'].map((one) => [one, one] as const) })}
${textField(filled, { name: 'subject', label: 'Subject', required: true })}
<div class="field"><label for="text">Text</label><textarea id="text" name="text" required>${[filled.given.text ?? ''].flat()[0]}</textarea>${filled.faults.text && html`<p class="fault">${filled.faults.text}</p>`}</div>
<button>Send it</button></form>`
    return { title: 'Send a mail', main }
  },
  async submit({ ask, given: { from, ...given } }) {
    const body = { ...given, from: { email: from } }
    const { id } = await ask(create, { body }, z.object({ id: Id }))
    return { to: `/app/mail/${id}`, told: 'The mail is accepted.' }
  },
})
