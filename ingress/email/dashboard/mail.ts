import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { LocalTime } from '#lib/input-types.ts'
import { list, filters as listFilters } from '#sql/email/message-list.ts'
import * as messages from '#sql/email/messages.ts'
import { allMail } from '#sql/email/reach.ts'
import { whereOf } from '#sql/filters.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { TagFilter } from '../messages.ts'
import { renderMailDays } from './mail-days.ts'

export const section = {
  title: 'Messages',
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
${shown.length === 0 ? emptyState('No messages match these filters.', 'Messages sent from this page or with the API appear here.', may('areas:write') && linkButton('/app/mail/new', 'Send an email')) : messageTable(shown)}
${older('/app/mail', { ...given, tag: tagOf(given.tag) })}
${await renderMailDays(db, member.orgId)}`
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

export const stateOf = ({ status, sandbox }: Pick<messages.Message, 'status' | 'sandbox'>): Html =>
  html`${statusBadge(status)}${sandbox && html` <span class="quiet">test</span>`}`
