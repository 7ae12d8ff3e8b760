import { dayMs, findFirstInstant, getLocalMs, parseTimeOfDay } from '#lib/local-time.ts'
import type { QuietHours } from '#sql/push/targets.ts'

/** Returns the end of the current quiet hours in the recipient’s time zone. Undefined outside quiet hours. */
export function getQuietHoursEnd(quiet: QuietHours | null, timeZone: string | null, now: Date): Date | undefined {
  if (!quiet) return undefined
  const zone = timeZone ?? quiet.time_zone
  const local = getLocalMs(zone, now.getTime())
  const midnight = Math.floor(local / dayMs) * dayMs
  const [from, to] = [parseTimeOfDay(quiet.from), parseTimeOfDay(quiet.to)]
  const at = local - midnight
  const isQuiet = from < to ? at >= from && at < to : at >= from || at < to
  if (!isQuiet) return undefined
  const end = midnight + to + (at < to ? 0 : dayMs)
  return new Date(findFirstInstant(zone, end, now.getTime()))
}
