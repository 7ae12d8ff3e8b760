import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assignments from '#sql/bots/assignments.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/handovers.ts'
import * as labels from '#sql/bots/labels.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { labelMarks } from './label-marks.ts'
import { section } from './section.ts'
import { personOf } from './thread.ts'

export const inboxPath = '/app/bots/inbox'

/** Maximum number of members, labels and bots in filters, and of conversations that arrived outside office hours. */
const [mostOptions, mostQueued] = [100, 20]

const Query = z.object({
  assignee: optionalField(z.union([Id, z.enum(['me', 'none'])])),
  label: optionalField(Id),
  bot: optionalField(Id),
  status: optionalField(z.enum(['waiting', 'answered'])),
  before: Id.optional(),
})

export const list = page({
  path: '/bots/inbox',
  summary: 'List conversations that a person handles',
  section,
  permission: 'areas:write',
  query: Query,
  async view({ db, member, query: { before, ...given } }) {
    const where = whereOf(rows.filters, {
      assignee_id: given.assignee === 'me' ? member.userId : given.assignee,
      bot_id: given.bot,
      waits: given.status && given.status === 'waiting',
    })
    const isFirst = before === undefined && Object.values(given).every((value) => value === undefined)
    const [found, queued, form] = await Promise.all([
      rows.list(db, member.orgId, { where, before, limit: perPage + 1 }, given.label),
      isFirst ? readQueued(db, member.orgId) : [],
      filters(db, member, given),
    ])
    const { shown, older } = cutPage(found)
    const none = isFirst
      ? emptyState(
          'No conversations are waiting for a person.',
          'Conversations appear here if a visitor asks for a person, or if the bot has no answer twice in a row.',
        )
      : emptyState('No conversations match these filters.')
    const main = html`${parentLink('Bots', section.path)}<h1>Inbox</h1>
<p class="lead">Conversations that a person handles instead of the bot.</p>
<p class="actions spaced"><a class="button" href="${inboxPath}/labels">Labels</a> <a class="button" href="${inboxPath}/canned-replies">Canned replies</a></p>
${form}
${queued.length > 0 && html`<section><h2>Arrived outside office hours</h2>${inboxTable('Conversations outside office hours', queued, member)}</section>`}
<section><h2 class="${queued.length === 0 && 'unseen'}">All conversations</h2>${shown.length === 0 ? none : inboxTable('Conversations', shown, member)}
${older(inboxPath, given)}</section>`
    return { title: 'Inbox', main }
  },
})

/** Returns conversations that arrived outside office hours and still wait, longest wait first. */
async function readQueued(db: DatabasePool, orgId: string): Promise<readonly rows.Listed[]> {
  const where = whereOf(rows.filters, { after_hours: true, waits: true })
  const found = await rows.list(db, orgId, { where, before: undefined, limit: mostQueued })
  return found.toReversed()
}

async function filters(db: DatabasePool, { orgId }: Member, given: Record<string, string | undefined>): Promise<Html> {
  const part = { before: undefined, limit: mostOptions }
  const [people, marks, own] = await Promise.all([
    assignments.listAssignable(db, orgId, mostOptions),
    labels.list(db, orgId, part),
    bots.list(db, orgId, part),
  ])
  const pairs = (list: readonly { id: string; name: string }[]) => list.map(({ id, name }) => [id, name] as const)
  const assignees = people.map(({ user_id, name }) => [user_id, name] as const)
  return filterForm(
    [
      { name: 'assignee', label: 'Assignee', options: [['me', 'me'], ['none', 'nobody'], ...assignees] },
      { name: 'status', label: 'Status', options: ['waiting', 'answered'] },
      { name: 'label', label: 'Label', options: pairs(marks) },
      { name: 'bot', label: 'Bot', options: pairs(own) },
    ],
    given,
    { clear: inboxPath },
  )
}

export const why = {
  asked: 'person requested',
  unanswered: 'no answer from the bot',
  requested: 'handed over by API',
  channel: 'bot could not answer',
} as const

const inboxTable = (caption: string, shown: readonly rows.Listed[], member: Member): Html =>
  dataTable(caption, shown, {
    'Last message': (one) =>
      html`<a class="last-said" href="${inboxPath}/${one.conversation_id}">${one.last_message.slice(0, 120).toWellFormed()}</a> ${labelMarks(one.labels)}`,
    Person: [
      'break',
      (one) =>
        html`${one.visitor_name ?? personOf(one.user_id, one.contact)}${!one.contact_verified && ' (unverified)'}`,
    ],
    Bot: ['break', (one) => one.bot_name],
    Reason: (one) => why[one.reason],
    Assignee: ['break', (one) => assigneeOf(one, member)],
    Status: (one) => (one.waits ? statusBadge('waiting') : quiet('answered')),
    Changed: (one) => ago(one.updated_at),
  })

const assigneeOf = ({ assignee_id, assignee_name }: rows.Listed, { userId }: Member): Html => {
  if (assignee_id === null) return quiet('nobody')
  return assignee_id === userId ? html`<strong>you</strong>` : html`${assignee_name ?? 'a member'}`
}
