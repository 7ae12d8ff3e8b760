import type { Schedule } from '#sql/work/schedules.ts'
import { ago, duration, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'

/** Describes when a schedule runs: its cron expression and time zone, or its interval. */
export const timingOf = ({ cron, time_zone, every_seconds }: Schedule): Html =>
  cron === null
    ? html`every ${duration(every_seconds ?? 0)}`
    : html`<code>${cron}</code> <span class="quiet">${time_zone}</span>`

export const scheduleState = ({ state, last_error }: Pick<Schedule, 'state' | 'last_error'>): Html =>
  html`${statusBadge(state)}${last_error && html` <span class="bad">${last_error.message}</span>`}`

export const nextRun = ({ next_run_at, state }: Pick<Schedule, 'next_run_at' | 'state'>): Html =>
  next_run_at ? ago(next_run_at) : quiet(state)

/** Lists runs in the time zone of the schedule and in UTC. */
export function runList(runs: readonly Date[], zone: string): Html {
  if (runs.length === 0) return html`<p class="quiet">This schedule has no further runs.</p>`
  return html`<ol class="plain-list">${runs.map((at) => html`<li><time datetime="${at.toISOString()}">${localTime(at, zone)}</time> <span class="quiet">${formatInstant(at)} UTC</span></li>`)}</ol>`
}

function localTime(at: Date, zone: string): string {
  const style = { timeZone: zone, dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23' } as const
  return `${new Intl.DateTimeFormat('en-GB', style).format(at)}, ${zone}`
}
