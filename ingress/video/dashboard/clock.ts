import { z } from 'zod'

const pattern = /^(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,7}(?:\.\d{1,6})?)$/

/** Form field with a time: seconds, or hours, minutes and seconds, such as `1:30`. */
export const ClockField = z
  .string()
  .trim()
  .regex(pattern, 'must be seconds, or a time such as 1:30')
  .transform((text) => readClock(text) ?? 0)

/** Returns the seconds of a time such as `1:02:03.5`, or `null` for other text. */
export function readClock(text: string): number | null {
  const [whole, hours = '0', minutes = '0', seconds = '0'] = pattern.exec(text.trim()) ?? []
  return whole === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** Writes seconds as a time, such as `1:02:03.5`. */
export function writeClock(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000)
  const [whole, rest] = [Math.floor(milliseconds / 1000), (milliseconds % 1000) / 1000]
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const last = `${two(whole % 60)}${rest > 0 ? String(rest).slice(1) : ''}`
  return hours > 0 ? `${hours}:${two(minutes)}:${last}` : `${minutes}:${last}`
}
