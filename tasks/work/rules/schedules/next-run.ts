import { getLocalMs } from '#lib/local-time.ts'
import { type CronClock, parseCron } from './cron.ts'

/** When a schedule runs: by a cron expression in a time zone, or in an interval. */
export interface Timing {
  cron: string | null
  time_zone: string
  every_seconds: number | null
  /** First instant of an interval. */
  anchor: Date
  starts_at: Date | null
  ends_at: Date | null
}

const dayMs = 86_400_000

/** Longest change of a clock that is looked for before an instant, in milliseconds. */
const longestChangeMs = 3 * 3_600_000

/** Distance in which the offset of a zone is compared. No zone changes its clock twice in this time. */
const stepMs = 7 * dayMs

const offsetOf = (zone: string, at: number) => getLocalMs(zone, at) - Math.floor(at / 1_000) * 1_000

/** Returns the first run after an instant. Null if the schedule has ended. */
export function findNextRun(timing: Timing, after: Date): Date | null {
  const earliest = Math.max(after.getTime(), (timing.starts_at?.getTime() ?? 0) - 1)
  const next = timing.cron === null ? nextOfInterval(timing, earliest) : nextOfCron(timing, timing.cron, earliest)
  if (next === null || (timing.ends_at && next > timing.ends_at.getTime())) return null
  return new Date(next)
}

/** Returns up to `count` runs after an instant. */
export function listNextRuns(timing: Timing, after: Date, count: number): Date[] {
  const runs: Date[] = []
  for (let at = findNextRun(timing, after); at !== null && runs.length < count; at = findNextRun(timing, at))
    runs.push(at)
  return runs
}

/** Returns the last run from `from` to `until`. `from` is a run. Compares about 30 instants. */
export function findLastRun(timing: Timing, from: Date, until: Date): Date {
  let [last, end] = [from.getTime(), until.getTime()]
  while (end - last >= 1_000) {
    const middle = Math.floor((last + end) / 2)
    const next = findNextRun(timing, new Date(middle))?.getTime()
    if (next !== undefined && next <= end) last = next
    else end = middle
  }
  return new Date(last)
}

function nextOfInterval({ every_seconds, anchor, starts_at }: Timing, after: number): number | null {
  const first = (starts_at ?? anchor).getTime()
  const step = (every_seconds ?? 0) * 1_000
  if (step <= 0) return null
  return after < first ? first : first + (Math.floor((after - first) / step) + 1) * step
}

/**
 * Walks from one change of the clock to the next. If an expression names hours, a local time that occurs twice counts
 * once, and a skipped one counts as the instant of the change. Otherwise every time that the clock shows counts.
 */
function nextOfCron({ time_zone: zone }: Timing, cron: string, after: number): number | null {
  const clock = parseCron(cron)
  let start = after
  let floor = clock.isHourly ? Number.NEGATIVE_INFINITY : findRepeated(zone, after)
  let offset = offsetOf(zone, start)
  let shown = after + offset
  for (;;) {
    const local = clock.next(Math.max(shown, floor))
    if (local === null) return null
    const at = local - offset
    const change = findChange(zone, start, at, offset)
    if (change === null) return at
    const before = change + offset
    offset = offsetOf(zone, change)
    if (!clock.isHourly && isSkipped(clock, before, change + offset)) return change
    floor = clock.isHourly ? Number.NEGATIVE_INFINITY : before - 1
    shown = change + offset - 1
    start = change
  }
}

function isSkipped(clock: CronClock, before: number, now: number): boolean {
  const local = now > before ? clock.next(before - 1) : null
  return local !== null && local < now
}

/** Returns the local time up to which the clock repeats itself at an instant, or negative infinity. */
function findRepeated(zone: string, at: number): number {
  const start = at - longestChangeMs
  const offset = offsetOf(zone, start)
  if (offset <= offsetOf(zone, at)) return Number.NEGATIVE_INFINITY
  const change = findChange(zone, start, at, offset)
  return change === null ? Number.NEGATIVE_INFINITY : change + offset - 1
}

/** Returns the first instant after `from`, up to `until`, at which the offset is another. Null if there is none. */
function findChange(zone: string, from: number, until: number, offset: number): number | null {
  for (let low = from; low < until; low = Math.min(low + stepMs, until)) {
    const high = Math.min(low + stepMs, until)
    if (offsetOf(zone, high) !== offset) return findExactChange(zone, low, high, offset)
  }
  return null
}

/** Clocks change at whole seconds. */
function findExactChange(zone: string, low: number, high: number, offset: number): number {
  let [before, after] = [Math.floor(low / 1_000), Math.ceil(high / 1_000)]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetOf(zone, middle * 1_000) === offset) before = middle
    else after = middle
  }
  return after * 1_000
}
