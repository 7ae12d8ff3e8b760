import { type CronExpression, CronExpressionParser } from 'cron-parser'

/** Maximum number of characters of an expression. */
export const longestCron = 100

/** The clock of an expression, without a time zone. Local times are in milliseconds as if they were UTC. */
export interface CronClock {
  /** Returns the first matching local time after a local time. Null if none of the next years has one. */
  next(after: number): number | null
  /** True if the expression matches in every hour of the day. */
  readonly isHourly: boolean
}

/** Years without a match after which an expression has no next run. 29 February can be 8 years away. */
const longestGapMs = 9 * 366 * 86_400_000

const aliases = new Set(['@hourly', '@daily', '@weekly', '@monthly', '@yearly'])

/** `h` and other extensions of the library are not allowed: they give random times. */
const field = /^(?:[\d*,/?#l-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+$/

const parsed = new Map<string, CronClock>()

/** Maximum number of parsed expressions in memory. */
const mostParsed = 2_000

/** Parses a cron expression. Throws `CronError` with the reason. */
export function parseCron(expression: string): CronClock {
  const known = parsed.get(expression)
  if (known) return known
  const text = expression.trim().toLowerCase()
  demandForm(text)
  const clock = createClock(text)
  if (clock.next(0) === null) throw new CronError(neverMatches)
  if (parsed.size >= mostParsed) parsed.clear()
  parsed.set(expression, clock)
  return clock
}

export class CronError extends Error {}

const neverMatches = 'must match a day: no month has this one'

function demandForm(text: string): void {
  if (text.length > longestCron) throw new CronError(`must have at most ${longestCron} characters`)
  if (text.startsWith('@')) {
    if (aliases.has(text)) return
    throw new CronError(`must be one of ${[...aliases].join(', ')}, or have 5 fields`)
  }
  const fields = text.split(/\s+/)
  if (fields.length !== 5) throw new CronError('must have 5 fields: minute, hour, day of month, month, day of week')
  const wrong = fields.find((one) => !field.test(one))
  if (wrong !== undefined) throw new CronError('must contain only numbers, names of months and days, and * , - / ? # L')
}

function createClock(text: string): CronClock {
  const expression = parse(text)
  return {
    isHourly: expression.fields.hour.values.length === 24,
    next(after) {
      expression.reset(new Date(after))
      try {
        const found = expression.next().getTime()
        return found - after > longestGapMs ? null : found
      } catch {
        return null
      }
    },
  }
}

/** Parses in UTC, because local times are converted separately: the library loses times of some zones. */
function parse(text: string): CronExpression {
  try {
    return CronExpressionParser.parse(text.startsWith('@') ? text : text.toUpperCase(), { tz: 'UTC' })
  } catch (error) {
    throw new CronError(reasonOf(error instanceof Error ? error.message : ''))
  }
}

function reasonOf(message: string): string {
  if (message.includes('explicit day of month')) return neverMatches
  const range = /got value (\S{1,12}) expected range (\d+-\d+)/.exec(message)
  if (range) return `must have values in ${range[2]}, not ${range[1]}`
  return 'must be a cron expression, such as 0 9 * * 1-5'
}
