import { type Html, html, quiet } from './html.ts'

const counts = new Intl.NumberFormat('en-US')

export const count = (value: number): string => counts.format(value)

/** Formats a number with its noun: `1 job`, `2 jobs`. */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** Formats a rate, with fractions if it is small: `0.3`, `12`, `1,200`. */
export const rate = (value: number): string =>
  count(value > 0 && value < 10 ? Math.round(value * 10) / 10 : Math.round(value))

const sizes = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Formats an amount with its unit: `1.5 GiB`, `1,200 messages`, `1 message`. */
export function amountOf(unit: string, value: number): string {
  if (unit !== 'bytes') return `${count(value)} ${value === 1 ? unit.replace(/s$/, '') : unit}`
  const power = value < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(value) / 10))
  return `${Number((value / 1024 ** power).toPrecision(3))} ${sizes[power]}`
}

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'm', seconds: 60 },
  { name: 's', seconds: 1 },
]

/** Formats a duration with up to two units: `3 m 12 s`. */
export function duration(seconds: number): string {
  if (seconds < 1) return seconds <= 0 ? '0 s' : `${Math.max(1, Math.round(seconds * 1000))} ms`
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const { name, seconds: size } of units) {
    const whole = Math.floor(rest / size)
    rest -= whole * size
    if (whole > 0) parts.push(`${whole} ${name}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

/** Formats a time in UTC: `2026-11-21 13:05:07`. */
export const formatInstant = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ')

export function since(at: Date | null, now: number = Date.now()): Html {
  if (at === null) return quiet('–')
  const words = duration(Math.max(0, Math.floor((now - at.getTime()) / 1000)))
  return html`<time datetime="${at.toISOString()}" title="since ${formatInstant(at)} UTC">${words}</time>`
}

const steps = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const

const wholeDays = 60

/** Formats a time relative to now in one unit: `12 s ago`, `in 3 h`. A time that is far away is a date. */
export function ago(at: Date | null, now: number = Date.now()): Html {
  if (at === null) return quiet('never')
  return html`<time datetime="${at.toISOString()}" title="${formatInstant(at)} UTC">${relative(at, now)}</time>`
}

function relative(at: Date, now: number): string {
  const past = (now - at.getTime()) / 1000
  const seconds = past < 0 ? Math.ceil(-past) : Math.floor(past)
  if (seconds > wholeDays * 86_400) return at.toISOString().slice(0, 10)
  const step = steps.find((one) => seconds >= one.seconds)
  const words = step ? `${Math.floor(seconds / step.seconds)} ${step.name}` : `${seconds} s`
  return past < 0 ? `in ${words}` : `${words} ago`
}
