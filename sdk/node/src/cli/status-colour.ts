import type { Colour } from './terminal.ts'

export const colourOfStatus = (status: number | undefined): Colour =>
  status === undefined || status >= 500 ? 'red' : status >= 400 ? 'yellow' : status >= 300 ? 'cyan' : 'green'

/** Returns the local time of an instant, such as `14:05:09`. */
export function timeOf(instant: string): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return '--:--:--'
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
