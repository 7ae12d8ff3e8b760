import type { Reason, State } from '#sql/status/areas.ts'
import { platform } from '#sql/status/areas.ts'
import { shownDays } from '#sql/status/days.ts'
import type { Incident } from '#sql/status/incidents.ts'
import type { OperationEntry } from '../http/openapi/document.ts'
import type { Board } from './board.ts'

/** Age of the last measurement in milliseconds from which the state is unknown. */
const staleMs = 5 * 60_000

export interface DaySummary {
  /** Day in UTC: `2026-11-29`. */
  day: string
  /** Minutes of the day that were measured, and in which the area was degraded or down. */
  measured: number
  degraded: number
  down: number
}

export interface AreaSummary {
  name: string
  title: string
  /** `unknown` if the last measurement is too old. */
  state: State | 'unknown'
  reason: Reason | null
  since: Date | null
  /** Share of measured minutes in percent in which the area was not down. `null` without measurements. */
  uptime: number | null
  days: DaySummary[]
}

export interface Summary {
  state: State | 'unknown'
  measured_at: Date | null
  answers: boolean
  areas: AreaSummary[]
  open: Incident[]
  past: Incident[]
}

const order = ['ok', 'degraded', 'down', 'unknown'] as const

/** Combines the measurements with the areas of this installation. */
export function summarize(
  { measurements, answers }: Board,
  operations: readonly OperationEntry[],
  now = new Date(),
): Summary {
  const { areas = [], days = [], incidents = [] } = measurements ?? {}
  const measuredAt = areas.find(({ area }) => area === platform)?.measured_at ?? null
  const isKnown = answers && measuredAt !== null && now.getTime() - measuredAt.getTime() <= staleMs
  const states = new Map(areas.map((row) => [row.area, row]))
  const minutes = new Map(days.map((row) => [`${row.area} ${row.day}`, row]))
  const summaries = titlesOf(operations).map(([name, title]): AreaSummary => {
    const row = states.get(name)
    const each = lastDays(now).map((day) => {
      const { degraded = 0, down = 0 } = minutes.get(`${name} ${day}`) ?? {}
      return { day, measured: minutes.get(`${platform} ${day}`)?.measured ?? 0, degraded, down }
    })
    return {
      name,
      title,
      state: isKnown ? (row?.state ?? 'ok') : 'unknown',
      reason: isKnown ? (row?.reason ?? null) : null,
      since: isKnown && row && row.state !== 'ok' ? row.since : null,
      uptime: uptimeOf(each),
      days: each,
    }
  })
  const worst = Math.max(0, ...summaries.map(({ state }) => order.indexOf(state)))
  return {
    state: order[worst] ?? 'unknown',
    measured_at: measuredAt,
    answers,
    areas: summaries,
    open: incidents.filter(({ ended_at }) => ended_at === null),
    past: incidents.filter(({ ended_at }) => ended_at !== null),
  }
}

/** Returns the platform, then the areas with operations. */
function titlesOf(operations: readonly OperationEntry[]): [name: string, title: string][] {
  const areas = operations.map(({ area: { name, title } }): [string, string] => [name, title])
  return [[platform, 'Platform and queue'], ...new Map(areas.filter(([name]) => name !== 'status'))]
}

function lastDays(now: Date): string[] {
  return Array.from({ length: shownDays }, (_, i) =>
    new Date(now.getTime() - (shownDays - 1 - i) * 86_400_000).toISOString().slice(0, 10),
  )
}

function uptimeOf(days: readonly DaySummary[]): number | null {
  const measured = days.reduce((sum, day) => sum + day.measured, 0)
  const down = days.reduce((sum, day) => sum + Math.min(day.down, day.measured), 0)
  return measured === 0 ? null : Math.floor(((measured - down) / measured) * 100_000) / 1000
}
