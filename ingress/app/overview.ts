import * as plans from '#sql/account/plans.ts'
import { getMetric, type MetricName } from '#sql/account/usage/metrics.ts'
import * as minutes from '#sql/account/usage/request-minutes.ts'
import * as usage from '#sql/account/usage.ts'
import * as recent from '#sql/email/recent.ts'
import { everything } from '#sql/filters.ts'
import * as events from '#sql/webhooks/events.ts'
import { canRole } from '#tasks/account/rules/roles.ts'
import { listStandings, type Standing } from '#tasks/account/rules/standing.ts'
import type { OrgRegion } from '../http/dashboard/contents.ts'
import type { Member } from '../http/dashboard/session.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, amountOf, count } from '../http/html/format.ts'
import { type Content, type Html, html, queryString } from '../http/html/html.ts'
import { emptyState } from '../http/html/parts.ts'
import { renderTiles } from '../http/html/tiles.ts'
import { sparkline } from './sparkline.ts'

const [days, dayMs, everyMs, shownEvents] = [14, 86_400_000, 5_000, 8]

/** Products of the overview, with the metric that shows their volume. */
const products = [
  ['requests', 'API requests', '/app/requests'],
  ['email.messages', 'Emails', '/app/mail'],
  ['push.messages', 'Push messages', '/app/push'],
  ['sms.segments', 'SMS segments', '/app/sms'],
  ['whatsapp.messages', 'WhatsApp messages', '/app/whatsapp'],
  ['voice.calls', 'Calls', '/app/calls'],
  ['notify.events', 'Notification events', '/app/notify'],
  ['video.views', 'Video views', '/app/videos'],
  ['live.broadcast', 'Live minutes', '/app/live'],
  ['rooms.participants', 'Room minutes', '/app/rooms'],
  ['files.scans', 'File scans', '/app/files'],
  ['bots.answers', 'Bot answers', '/app/bots'],
  ['guard.challenges', 'Guard challenges', '/app/guard'],
  ['ai.requests', 'AI requests', '/app/usage/ai.requests'],
  ['wiki.snapshots', 'Wiki snapshots', '/app/usage/wiki.snapshots'],
  ['identity.checks', 'Identity checks', '/app/usage/identity.checks'],
  ['trust.checks', 'Trust checks', '/app/usage/trust.checks'],
  ['geo.lookups', 'Geo lookups', '/app/usage/geo.lookups'],
  ['erp.lookups', 'Company lookups', '/app/usage/erp.lookups'],
] as const satisfies readonly (readonly [MetricName, string, string])[]

const volume: OrgRegion = {
  everyMs,
  permission: 'usage:read',
  async read(db, orgId) {
    const found = new Map((await usage.listTotals(db, orgId, days)).map(({ metric, amounts }) => [metric, amounts]))
    const shown = products.flatMap(([metric, title, path]) => {
      const amounts = found.get(metric)
      return amounts?.some((amount) => amount > 0) ? [{ metric, title, path, amounts }] : []
    })
    if (shown.length === 0) return emptyState('Your volume appears here after your first requests.')
    return html`<ul class="volume">${shown.map(
      ({
        metric,
        title,
        path,
        amounts,
      }) => html`<li data-key="${metric}"><a href="${path}"><span class="volume-title">${title}</span>
<strong>${count(amounts.reduce((all, one) => all + one, 0))}</strong>
${sparkline(amounts, `${title} per day in ${days} days: ${amounts.map(count).join(', ')}.`)}
<span class="quiet">today ${count(amounts.at(-1) ?? 0)}</span></a></li>`,
    )}</ul>`
  },
}

const errors: OrgRegion = {
  everyMs,
  permission: 'log:read',
  async read(db, orgId) {
    const since = new Date(Date.now() - dayMs)
    const span = { since, until: new Date(Date.now() + 60_000), by: 'operation' } as const
    const [sums, mail] = await Promise.all([minutes.sums(db, orgId, span), recent.countUndelivered(db, orgId, since)])
    const mailOf = (status: string) => `/app/mail${queryString({ status, since: since.toISOString().slice(0, 16) })}`
    const of = (digit: number) =>
      sums.filter(({ class: group }) => group === digit).reduce((all, { count: more }) => all + more, 0)
    const link = (amount: number, path: string, grave = false): Content =>
      html`<a href="${path}"${amount > 0 && grave && html` class="bad"`}>${count(amount)}</a>`
    return renderTiles([
      ['Failed requests (5xx)', link(of(5), '/app/requests?span=24h&class=5', true)],
      ['Rejected requests (4xx)', link(of(4), '/app/requests?span=24h&class=4')],
      ['Bounced emails', link(mail.bounced, mailOf('bounced'), true)],
      ['Failed emails', link(mail.failed, mailOf('failed'), true)],
      ['Suppressed emails', link(mail.suppressed, mailOf('suppressed'))],
    ])
  },
}

const budgets: OrgRegion = {
  everyMs,
  permission: 'usage:read',
  async read(db, orgId) {
    const all = await listStandings(db, orgId, await plans.findForOrganisation(db, orgId))
    const shown = all.flatMap((one) => {
      const most = one.limit ?? one.soft
      return most !== null && most > 0 && one.used > 0 ? [{ one, most, share: one.used / most }] : []
    })
    if (shown.length === 0)
      return html`<p class="quiet">Nothing with a limit or budget was used in this period. <a href="/app/usage">Show usage</a></p>`
    return html`<ul class="budgets">${shown
      .sort((a, b) => b.share - a.share)
      .slice(0, 6)
      .map(({ one, most, share }) => budgetLine(one, most, share))}</ul>`
  },
}

function budgetLine({ metric, used, unit }: Standing, most: number, share: number): Html {
  const percent = Math.min(100, Math.floor(share * 100))
  return html`<li data-key="${metric}"><a href="/app/usage/${metric}">${metric}</a> <span class="quiet">${amountOf(unit, used)} of ${amountOf(getMetric(metric).unit, most)}</span>
<meter class="meter" min="0" max="100" low="80" high="95" optimum="0" value="${percent}" aria-label="${metric}: ${percent} %">${percent} %</meter></li>`
}

const latest: OrgRegion = {
  everyMs: 2_000,
  permission: 'webhooks:read',
  async read(db, orgId) {
    const found = await events.list(db, orgId, { where: everything, before: undefined, limit: shownEvents })
    if (found.length === 0)
      return emptyState(
        'Your latest events appear here.',
        html`Millrace stores only events that a webhook receives. To store all events, open <a href="/app/webhooks">Webhooks</a>.`,
      )
    return dataTable({ caption: 'Latest events', key: ({ id }) => id, stacks: false }, found, {
      Event: ({ id, type }) => html`<a href="/app/events/${id}">${type}</a>`,
      Time: ({ created_at }) => ago(created_at),
    })
  },
}

export const overviewRegions = {
  'start-volume': volume,
  'start-errors': errors,
  'start-budgets': budgets,
  'start-events': latest,
}

const panels = [
  ['start-errors', 'Last 24 hours', '/app/requests', 'Requests'],
  ['start-volume', `Last ${days} days`, '/app/usage', 'Usage'],
  ['start-budgets', 'Usage against limits', '/app/usage', 'Usage and budgets'],
  ['start-events', 'Latest events', '/app/events', 'All events'],
] as const

/** Renders the panels of the overview that the member’s role may see. */
export async function renderOverview({ role }: Member, region: (name: string) => Promise<Html>): Promise<Html> {
  const shown = panels.filter(([name]) => {
    const { permission } = overviewRegions[name]
    return permission === undefined || canRole(role, permission)
  })
  const sections = await Promise.all(
    shown.map(
      async ([name, title, path, words]) =>
        html`<section class="panel-${name}"><div class="title"><h2>${title}</h2><a href="${path}">${words}</a></div>${await region(name)}</section>`,
    ),
  )
  return html`<div class="overview">${sections}</div>`
}
