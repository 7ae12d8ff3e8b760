import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import * as rejects from '#sql/account/streams/rejects.ts'
import * as streams from '#sql/account/streams/streams.ts'
import { whereOf } from '#sql/filters.ts'
import { hostOf, pauseStream } from '#tasks/account/rules/streams/manage.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { actionButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { lagOf, type Shown, withPositions } from '../stream-view.ts'
import * as routes from '../streams.ts'
import { factList } from './fields.ts'
import { kindNames, lagText, section, sourceNames, streamState } from './log-streams.ts'

const params = z.object({ id: pathId('stream') })

const shownRejects = 20

export const read = page({
  path: '/log-streams/{id}',
  summary: 'Show a log stream',
  section,
  permission: 'webhooks:read',
  params,
  async view({ db, member, may, params: { id } }) {
    const found = await mustFind(streams.find(db, member.orgId, id), 'stream')
    const [shown] = await withPositions(db, [found])
    const where = whereOf(rejects.filters, {})
    const rejected = await rejects.list(
      db,
      { orgId: member.orgId, streamId: id },
      { where, before: undefined, limit: shownRejects },
    )
    const main = html`${parentLink('Log streams', section.path)}<h1>${found.name}</h1>
${may('webhooks:write') && buttons(found, member)}
${factList(factsOf(found))}
<section><h2>Positions</h2>${positionTable(shown as Shown)}</section>
${rejected.length > 0 && html`<section><h2>Rejected records</h2><p class="lead">The server did not accept these records. The stream continues without them.</p>${rejectTable(rejected)}</section>`}`
    return { title: found.name, main }
  },
})

function buttons({ id, paused_at, failing_since }: streams.Stream, member: Member): Html {
  const path = `/app/log-streams/${id}`
  const resume = actionButton(member, `${path}/resume`, paused_at ? 'Resume log stream' : 'Try again now')
  return html`<div class="actions">${actionButton(member, `${path}/test`, 'Send test record')}
${!paused_at && actionButton(member, `${path}/pause`, 'Pause log stream')}${(paused_at || failing_since) && resume}
<a class="button" href="${path}/edit">Edit log stream</a> <a class="button" href="${path}/settings">Replace settings</a> <a class="button grave" href="${path}/remove">Delete log stream</a></div>`
}

const factsOf = (one: streams.Stream): (readonly [string, Content])[] => [
  ['Status', streamState(one)],
  ['Kind', kindNames[one.kind]],
  ['Server', html`<span class="break">${hostOf(one.settings)}</span>`],
  ...(one.sources.includes('events') ? [['Event types', one.event_types.join(', ')] as const] : []),
  ...(one.sources.includes('requests')
    ? [['Requests', one.request_classes.map((digit) => `${digit}xx`).join(', ')] as const]
    : []),
  ['Batch', `${one.batch_seconds} s`],
  ...(one.last_error && one.last_error_at
    ? [
        [
          'Last error',
          html`<span class="break">${one.last_error}</span> <span class="quiet">${ago(one.last_error_at)}</span>`,
        ] as const,
      ]
    : []),
  ['Created', `${formatInstant(one.created_at)} UTC, by ${one.created_by_name}`],
]

const positionTable = ({ positions }: Shown): Html =>
  dataTable('Positions', positions, {
    Source: (one) => sourceNames[one.source],
    Lag: (one) => lagText(lagOf(one)),
    Sent: ['number', (one) => count(one.sent)],
    Rejected: ['number', (one) => count(one.set_aside)],
    Lost: ['number', (one) => count(one.lost)],
  })

const rejectTable = (rows: readonly rejects.Reject[]): Html =>
  dataTable('Rejected records', rows, {
    Record: ['break', (one) => one.record_id],
    Source: (one) => sourceNames[one.source],
    Reason: ['break', (one) => one.reason],
    Time: (one) => ago(one.created_at),
  })

const shared = {
  permission: 'webhooks:write',
  params,
  back: ({ id }: { id: string }) => `/app/log-streams/${id}`,
} as const

export const pause = action({
  ...shared,
  path: '/log-streams/{id}/pause',
  summary: 'Pause a log stream',
  async perform({ db, doer, params: { id } }) {
    await mustFind(
      db.transaction((tx) => pauseStream(tx, doer, id, true)),
      'stream',
    )
    return { to: `/app/log-streams/${id}`, told: 'Log stream paused. New records wait until you resume it.' }
  },
})

export const resume = action({
  ...shared,
  path: '/log-streams/{id}/resume',
  summary: 'Resume a log stream',
  async perform({ db, doer, params: { id } }) {
    await mustFind(
      db.transaction((tx) => pauseStream(tx, doer, id, false)),
      'stream',
    )
    return { to: `/app/log-streams/${id}`, told: 'Log stream resumed. Waiting records are being sent.' }
  },
})

export const sample = action({
  ...shared,
  path: '/log-streams/{id}/test',
  summary: 'Send a test record to a log stream',
  async perform({ ask, params: { id } }) {
    const to = `/app/log-streams/${id}`
    try {
      const { delivered, error, latency_ms } = await ask(routes.test, { params: { id } }, routes.TestedStream)
      if (delivered) return { to, told: `The server accepted the test record in ${latency_ms} ms.` }
      return { to, told: `The server did not accept the test record. ${error ?? ''}` }
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status < 502) throw problem
      return { to, told: `The test record was not sent: ${problem.message}` }
    }
  },
})
