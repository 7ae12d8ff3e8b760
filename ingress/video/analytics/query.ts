import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Day } from '#lib/input-types.ts'
import { everyone, type Slice } from '#sql/video/audience-reports.ts'

const dayMs = 86_400_000

/** Maximum length of a period in days. */
export const mostDays = 400

export interface Period {
  from: string
  to: string
}

export const periodQuery = {
  from: Day.optional().describe('First day, such as `2026-03-01`. Default: 29 days before `to`.'),
  to: Day.optional().describe('Last day, included. Default: today in UTC.'),
}

const filters = ['country', 'device', 'browser', 'page'] as const

const text = z.string().min(1).max(300).optional()

export const sliceQuery = {
  country: text.describe('Only viewers in this country, such as `DE`'),
  device: text.describe('Only viewers with this kind of device, such as `mobile`'),
  browser: text.describe('Only viewers with this browser, such as `safari`'),
  page: text.describe('Only views on this page, such as `https://www.example.com/courses/steam`'),
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Returns the days of the query. Both days are included. */
export function periodOf(query: { from?: string | undefined; to?: string | undefined }): Period {
  const to = query.to ?? dayOf(Date.now())
  const from = query.from ?? dayOf(Date.parse(to) - 29 * dayMs)
  if (from > to) throw badRequest([{ field: 'query.from', issue: 'must not be after `to`' }])
  if (Date.parse(to) - Date.parse(from) >= mostDays * dayMs)
    throw badRequest([{ field: 'query.from', issue: `must be at most ${mostDays - 1} days before \`to\`` }])
  return { from, to }
}

/** Returns the filter of the query. Plays are counted by one property at a time. */
export function sliceOf(query: Partial<Record<(typeof filters)[number], string | undefined>>): Slice {
  const [first, ...others] = filters.filter((name) => query[name] !== undefined)
  if (others.length > 0)
    throw badRequest(
      others.map((name) => ({
        field: `query.${name}`,
        issue: `cannot be combined with \`${first}\`. Use one filter.`,
      })),
    )
  return first === undefined ? everyone : { dimension: first, value: normalise(first, query[first] ?? '') }
}

const normalise = (name: string, value: string): string =>
  name === 'country' && value.length === 2 ? value.toUpperCase() : value
