import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { LocalTime } from '#lib/input-types.ts'
import * as attempts from '#sql/email/delivery/attempts.ts'
import { list, filters as listFilters } from '#sql/email/message-list.ts'
import * as messages from '#sql/email/messages.ts'
import { allMail } from '#sql/email/reach.ts'
import { whereOf } from '#sql/filters.ts'
import { findWaiting } from '#tasks/email/rules/waiting.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, duration, formatInstant } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { cancel, TagFilter } from '../messages.ts'

export const section = {
  title: 'Email',
  path: '/app/mail',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const query = z.object({
  status: optionalField(messages.Status),
  stream: optionalField(messages.Stream),
  to: optionalField(Address),
  from: optionalField(Address),
  tag: optionalField(TagFilter),
  since: optionalField(LocalTime),
  until: optionalField(LocalTime),
  before: Id.optional(),
})

export const overview = page({
  path: '/mail',
  summary: 'List messages, newest first',
  section,
  permission: 'log:read',
  query,
  async view({ db, member, may, query: { before, ...given } }) {
    const found = await list(db, member.orgId, { ...filterOf(given), before, limit: perPage + 1, reach: allMail })
    const { shown, older } = cutPage(found)
    const main = html`<div class="title"><h1>Email</h1>${may('areas:write') && html`<a class="button primary" href="/app/mail/new">Send an email</a>`}</div>
${filterForm(filters, { ...given, tag: tagOf(given.tag) })}
${shown.length === 0 ? emptyState('No messages match these filters.', 'Messages sent from this page or with the API appear here.') : messageTable(shown)}
${older('/app/mail', { ...given, tag: tagOf(given.tag) })}`
    return { title: 'Email', main }
  },
})

type Given = Omit<z.output<typeof query>, 'before'>

const instantOf = (text: string | undefined) => (text === undefined ? undefined : `${text}Z`)

const filterOf = ({ since, until, tag, ...filter }: Given) => ({
  where: whereOf(listFilters, { ...filter, since: instantOf(since), until: instantOf(until) }),
  tag,
})

const tagOf = (tag: Given['tag']): string | undefined => tag && [tag.name, tag.value ?? []].flat().join(':')

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: messages.Status.options },
  { name: 'stream', label: 'Stream', options: messages.Stream.options },
  { name: 'to', label: 'To', type: 'email' },
  { name: 'from', label: 'From', type: 'email' },
  { name: 'tag', label: 'Tag', placeholder: 'name:value', narrow: true },
  { name: 'since', label: 'From (UTC)', type: 'datetime-local' },
  { name: 'until', label: 'Until (UTC)', type: 'datetime-local' },
]

const messageTable = (shown: readonly messages.Message[]): Html =>
  dataTable('Messages', shown, {
    To: (one) =>
      html`<a href="/app/mail/${one.id}">${one.to_email}</a>${one.recipient !== 'to' && html` <span class="quiet">${one.recipient}</span>`}`,
    Subject: ['break', (one) => one.subject],
    Status: (one) => stateOf(one),
    Stream: (one) => one.stream,
    Accepted: (one) => ago(one.created_at),
  })

const bad: readonly string[] = ['bounced', 'failed', 'suppressed', 'complained']

const stateOf = ({ status, sandbox }: Pick<messages.Message, 'status' | 'sandbox'>): Html =>
  html`<span class="${bad.includes(status) && 'bad'}">${status}</span>${sandbox && html` <span class="quiet">test</span>`}`

export const read = page({
  path: '/mail/{id}',
  summary: 'Show a message and its delivery route',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('message') }),
  async view({ db, member, may, params: { id } }) {
    const found = await mustFind(messages.find(db, member.orgId, id), 'message')
    const route = await attempts.list(db, member.orgId, id)
    const copies = await messages.listCopies(db, member.orgId, id)
    const wait = await findWaiting(db, found)
    const waits = [found, ...copies].some(({ status }) => waiting.includes(status))
    const main = html`${parentLink('Email', section.path)}<h1>${found.subject}</h1>
<dl class="facts">${facts(found).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${waits && may('areas:write') && html`<div class="actions spaced">${actionButton(member, `/app/mail/${id}/cancel`, copies.length > 0 ? 'Cancel message and copies' : 'Cancel message', { grave: true })}</div>`}
${copies.length > 0 && html`<section><h2>Copies</h2><ul class="groups">${copies.map(copyOf)}</ul></section>`}
<section><h2>Delivery route</h2>${route.length === 0 && !wait ? emptyState(routeless(found)) : route.map(attemptOf)}
${wait && html`<p>${wait.reason} Next attempt: ${formatInstant(wait.until)} UTC.</p>`}</section>`
    return { title: found.subject, main }
  },
})

const waiting: readonly string[] = ['scheduled', 'queued', 'deferred']

const copyOf = (copy: messages.Message): Html =>
  html`<li><a href="/app/mail/${copy.id}">${copy.to_email}</a> ${copy.recipient}, ${stateOf(copy)}</li>`

const routeless = ({ sandbox, status }: messages.Message): string =>
  sandbox
    ? 'Test messages are recorded, but not delivered.'
    : status === 'scheduled'
      ? 'The message is scheduled.'
      : 'No delivery attempts yet.'

export const takeBack = action({
  path: '/mail/{id}/cancel',
  summary: 'Cancel an unsent message',
  permission: 'areas:write',
  params: z.object({ id: pathId('message') }),
  back: ({ id }) => `/app/mail/${id}`,
  async perform({ ask, params: { id } }) {
    await ask(cancel, { params: { id } }, z.unknown())
    return { to: `/app/mail/${id}`, told: 'Messages that had not been sent are cancelled.' }
  },
})

function facts(found: messages.Message): [string, Html | string][] {
  const instants = (
    ['sent_at', 'delivered_at', 'deferred_at', 'bounced_at', 'failed_at', 'complained_at', 'cancelled_at'] as const
  ).flatMap((name): [string, string][] => {
    const at = found[name]
    return at ? [[name.replace('_at', ''), `${formatInstant(at)} UTC`]] : []
  })
  return [
    ['Status', stateOf(found)],
    ['To', found.to_email],
    ['From', found.from_email],
    ['Stream', found.stream],
    ['Message-ID', html`<span class="id">${found.message_id}</span>`],
    ['accepted', `${formatInstant(found.created_at)} UTC`],
    ...(found.send_at ? [['Scheduled for', `${formatInstant(found.send_at)} UTC`] as [string, string]] : []),
    ...instants,
    ...(found.copy_of
      ? [
          [`Copy (${found.recipient}) of`, html`<a href="/app/mail/${found.copy_of}">another message</a>`] as [
            string,
            Html,
          ],
        ]
      : []),
    ...found.tags.map(({ name, value }): [string, Html] => [
      `Tag ${name}`,
      html`<a href="/app/mail${queryString({ tag: `${name}:${value}` })}">${value}</a>`,
    ]),
    ...(found.metadata ? [['Metadata', html`<code>${JSON.stringify(found.metadata)}</code>`] as [string, Html]] : []),
    ...(found.reason ? [['Reason', found.reason] as [string, string]] : []),
  ]
}

const attemptOf = (
  one: Awaited<ReturnType<typeof attempts.list>>[number],
): Html => html`<section class="attempt"><h3>${one.number}. ${one.outcome} <span class="quiet">${formatInstant(one.started_at)} UTC, ${duration((one.ended_at.getTime() - one.started_at.getTime()) / 1000)}</span></h3>
<p class="quiet">${one.mx_host ?? 'no server'}${one.mx_address && ` (${one.mx_address})`}${one.local_address && `, from ${one.local_address}`}</p>
<pre>${one.replies.map((reply) => `${JSON.stringify(reply)}\n`)}</pre></section>`
