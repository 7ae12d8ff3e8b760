const clocks = new Map<string, Intl.DateTimeFormat>()

/** Maximum number of cached time zones. About 450 exist, plus aliases. */
const mostClocks = 1_000

export const dayMs = 24 * 3_600_000

/** Returns the milliseconds from midnight to a time of day such as `09:00`. */
export const parseTimeOfDay = (text: string): number =>
  (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * 60_000

/** Returns the local time of a zone at an instant, as if it were UTC. */
export function getLocalMs(zone: string, at: number): number {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * Returns the first instant after `now` at which the local time of a zone is reached. When clocks go back, the time
 * occurs twice. A time that is skipped when clocks go forward counts as the instant of the change.
 */
export function findFirstInstant(zone: string, local: number, now: number): number {
  const candidates = [local - dayMs, local + dayMs]
    .map((near) => local - (getLocalMs(zone, near) - near))
    .toSorted((a, b) => a - b)
  const shown = candidates.find((at) => at > now && getLocalMs(zone, at) === local)
  if (shown !== undefined) return shown
  let [before, after] = [Math.max(now, candidates[0] ?? now), candidates.at(-1) ?? now]
  while (after - before > 1_000) {
    const between = Math.floor((before + after) / 2_000) * 1_000
    if (getLocalMs(zone, between) < local) before = between
    else after = between
  }
  return Math.max(after, now + 1_000)
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  if (clocks.size >= mostClocks) clocks.clear()
  const made = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(zone, made)
  return made
}
