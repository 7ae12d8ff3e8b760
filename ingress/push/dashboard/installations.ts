import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as apps from '#sql/push/apps.ts'
import * as installations from '#sql/push/installations.ts'
import * as lastAnswers from '#sql/push/last-answers.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, counted } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { UserId } from '../fields.ts'
import { remove } from '../users.ts'
import { explainAnswer } from './answers.ts'
import { section } from './apps.ts'

export const overview = page({
  path: '/push/{app_id}/installations',
  summary: 'List devices of an app',
  section,
  permission: 'log:read',
  params: z.object({ app_id: pathId('app') }),
  query: z.object({ user: optionalField(UserId), before: Id.optional() }),
  async view({ db, member, may, params, query: { user, before } }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const path = `/app/push/${app.id}`
    const page = { where: everything, userId: user, before, limit: perPage + 1 }
    const found = await installations.list(db, app.id, page)
    const { shown, older } = cutPage(found)
    const last = await lastAnswers.find(
      db,
      app.id,
      shown.map(({ id }) => id),
    )
    const main = html`${parentLink(app.name, path)}<h1>Devices of ${app.name}</h1>
${filterForm([{ name: 'user', label: 'Your ID for the person' }], { user }, { button: 'Find' })}
${shown.length === 0 ? emptyState(user === undefined ? 'No devices yet.' : 'This person has no devices.') : renderInstallationTable(shown, may('areas:write'), last)}
${older(`${path}/installations`, { user })}
${user !== undefined && shown.length > 0 && may('areas:write') && removal(member, app.id, user)}`
    return { title: `Devices of ${app.name}`, main }
  },
})

const removal = (member: Member, appId: string, user: string): Html => html`<section><h2>Delete this person</h2>
<p class="lead">Deletes all devices and subscriptions of the person, and messages sent only to this person. Pending messages to the person are not sent.</p>
<div>${actionButton(member, `/app/push/${appId}/remove-user`, 'Delete person', { of: user, grave: true, fields: { user } })}</div></section>`

export const removeUser = action({
  path: '/push/{app_id}/remove-user',
  summary: 'Delete a person with all devices',
  permission: 'areas:write',
  params: z.object({ app_id: pathId('app') }),
  fields: z.object({ user: UserId }),
  back: ({ app_id }) => `/app/push/${app_id}/installations`,
  async perform({ ask, params: { app_id }, given: { user } }) {
    const reply = z.object({ installations: z.number() })
    const { installations: devices } = await ask(remove, { params: { app_id, user_id: user } }, reply)
    return { to: `/app/push/${app_id}/installations`, told: `${user} deleted, with ${counted(devices, 'device')}.` }
  },
})

/** Renders devices. `last` has the last delivery of each. */
export const renderInstallationTable = (
  shown: readonly installations.InstallationView[],
  maySend: boolean,
  last?: ReadonlyMap<string, lastAnswers.LastAnswer>,
): Html =>
  dataTable('Devices', shown, {
    Person: (one) => one.user_id ?? anonymous,
    Provider: (one) => html`${one.provider}${one.platform && html` <span class="quiet">${one.platform}</span>`}`,
    'Token ending': (one) => html`<code>${one.token.slice(-8)}</code>`,
    State: (one) => stateOf(one),
    'Last delivery': last && ['break', (one) => answerOf(last.get(one.id))],
    Registered: (one) => ago(one.registered_at),
    Send: [
      'actions',
      (one) =>
        maySend &&
        one.status === 'active' &&
        html`<a class="button" href="/app/push/installations/${one.id}/test">Send a test<span class="unseen"> to ${one.user_id ?? 'an anonymous user'} by ${one.provider}</span></a>`,
    ],
  })

const anonymous = quiet('anonymous')

const stateOf = ({ status, invalidated_reason }: installations.InstallationView): Html =>
  html`${statusBadge(status)}${invalidated_reason && html` <span class="quiet break">${invalidated_reason}</span>`}`

function answerOf(last: lastAnswers.LastAnswer | undefined): Html {
  if (!last) return quiet('none yet')
  const isBad = last.status === 'failed' || last.status === 'expired'
  const advice = isBad && explainAnswer(last.reason)
  return html`<a href="/app/push/messages/${last.message_id}">${statusBadge(last.status, isBad ? { as: 'failed' } : {})}</a>${last.reason && html` <code>${last.reason}</code>`} ${ago(last.created_at)}${advice && html`<p class="quiet">${advice.todo}</p>`}`
}
