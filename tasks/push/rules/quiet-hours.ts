import type { QuietHours } from '#sql/push/targets.ts'

const dayMs = 24 * 3_600_000
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Time zones whose clocks are kept: there are some 450, and names beside them that mean the same. */
const mostClocks = 1_000

/** When quiet hours that go on at an instant end by the clock of a person; undefined when there are none then. */
export function quietUntil(quiet: QuietHours | null, timeZone: string | null, now: Date): Date | undefined {
  if (!quiet) return undefined
  const zone = timeZone ?? quiet.time_zone
  const local = localMs(zone, now.getTime())
  const midnight = Math.floor(local / dayMs) * dayMs
  const [from, to] = [timeOfDay(quiet.from), timeOfDay(quiet.to)]
  const at = local - midnight
  const isQuiet = from < to ? at >= from && at < to : at >= from || at < to
  if (!isQuiet) return undefined
  const end = midnight + to + (at < to ? 0 : dayMs)
  return new Date(Math.max(instantOf(zone, end), now.getTime() + 1_000))
}

/** Milliseconds from midnight of `HH:MM`. */
const timeOfDay = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * 60_000

/** What clocks of a zone show at an instant, as if it were UTC. */
function localMs(zone: string, at: number): number {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * The instant at which clocks of a zone show a time. Where they are changed between, the offset is that of the time itself; a time
 * that they leave out is as much later as they are put forward.
 */
function instantOf(zone: string, local: number): number {
  const guess = local - (localMs(zone, local) - local)
  return local - (localMs(zone, guess) - guess)
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
