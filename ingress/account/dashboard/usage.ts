import * as plans from '#sql/account/plans.ts'
import { listStandings, type Standing } from '#tasks/account/rules/standing.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, amountOf } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'

export const section = {
  title: 'Usage',
  path: '/app/usage',
  group: 'Organisation',
  guide: 'limits',
  permission: 'usage:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/usage',
  summary: 'Show usage and limits',
  section,
  permission: 'usage:read',
  async view({ db, member, may }) {
    const all = await listStandings(db, member.orgId, await plans.findForOrganisation(db, member.orgId))
    const seen = all.filter(({ used, limit, soft }) => used > 0 || limit !== null || soft !== null)
    const rest = all.filter((one) => !seen.includes(one))
    const main = html`<h1>Usage</h1>
<p class="lead">Usage this month (UTC), or today for daily budgets. Billable usage is counted immediately. Other usage is counted once per hour.</p>
${seen.length === 0 ? emptyState('Your usage appears here after your first request.') : standingTable(seen, may('budgets:read'))}
<details class="numbers"><summary>Unused metrics</summary>${standingTable(rest, may('budgets:read'))}</details>`
    return { title: 'Usage', main }
  },
})

const standingTable = (all: readonly Standing[], budgets: boolean): Html =>
  dataTable('Usage', all, {
    Metric: [
      '',
      (one) => html`<a href="/app/usage/${one.metric}">${one.metric}</a> <span class="quiet">${one.words}</span>`,
    ],
    Usage: (one) => html`${amountOf(one.unit, one.used)}${usageMeter(one)}`,
    Limit: (one) => limitText(one, budgets),
    Forecast: (one) => forecastText(one),
    Resets: (one) => (one.metric === 'storage.bytes' ? quiet('never') : ago(one.resetsAt)),
  })

/** Displays how much of a limit is used. Returns `undefined` if there is no limit. */
export const usageMeter = ({ metric, used, limit, soft }: Standing): Html | undefined => {
  const most = limit ?? soft
  if (most === null) return undefined
  const full = most === 0 ? 100 : Math.min(100, Math.floor((used / most) * 100))
  return html`<meter class="meter" min="0" max="100" low="80" high="95" optimum="0" value="${full}" aria-label="${metric}: ${full} %">${full} %</meter>`
}

export const limitText = ({ unit, limit, soft }: Standing, budgets: boolean): Html =>
  html`${limit === null ? quiet('no limit') : amountOf(unit, limit)}${budgets && soft !== null && html` <span class="quiet">soft limit ${amountOf(unit, soft)}</span>`}`

export function forecastText({ unit, forecast, limit }: Standing): Html {
  if (forecast === null) return quiet('–')
  return html`<span class="${limit !== null && forecast > limit && 'bad'}">${amountOf(unit, forecast)}</span>`
}
