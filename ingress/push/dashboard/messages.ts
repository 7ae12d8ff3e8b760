import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as apps from '#sql/push/apps.ts'
import { filters, list } from '#sql/push/message-list.ts'
import type { Message } from '#sql/push/messages.ts'
import { describeTarget } from '#tasks/push/rules/target-of.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { UserId } from '../fields.ts'
import { cancel } from '../messages.ts'
import { section } from './apps.ts'

export const overview = page({
  path: '/push/{app_id}/messages',
  summary: 'List messages of an app',
  section,
  permission: 'log:read',
  params: z.object({ app_id: pathId('app') }),
  query: z.object({ user: optionalField(UserId), before: Id.optional() }),
  async view({ db, member, may, params, query: { user, before } }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const path = `/app/push/${app.id}`
    const where = whereOf(filters, { app_id: app.id, user_id: user })
    const found = await list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const write = may('areas:write') && html`<a class="button primary" href="${path}/send">Send a message</a>`
    const main = html`${parentLink(app.name, path)}<div class="title"><h1>Messages of ${app.name}</h1>${write}</div>
${filterForm([{ name: 'user', label: 'Your ID for the person' }], { user }, { button: 'Find' })}
${shown.length === 0 ? emptyState(user === undefined ? 'No messages yet, or all messages have expired.' : 'No messages sent only to this person.') : table(shown)}
${older(`${path}/messages`, { user })}`
    return { title: `Messages of ${app.name}`, main }
  },
})

const table = (shown: readonly Message[]): Html =>
  dataTable('Messages', shown, {
    Target: (one) => html`<a href="/app/push/messages/${one.id}">${describeTarget(one)}</a>`,
    State: (one) => statusBadge(one.status),
    Accepted: (one) => ago(one.created_at),
  })

export const stop = action({
  path: '/push/messages/{message_id}/cancel',
  summary: 'Cancel a message',
  permission: 'areas:write',
  params: z.object({ message_id: pathId('message') }),
  back: ({ message_id }) => `/app/push/messages/${message_id}`,
  async perform({ ask, params }) {
    await ask(cancel, { params }, z.unknown())
    return { to: `/app/push/messages/${params.message_id}`, told: 'Message cancelled.' }
  },
})
