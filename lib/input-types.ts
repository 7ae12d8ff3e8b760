/**
 * Schemas of numbers and times from clients, limited to the values that Postgres accepts. JSON allows integers outside
 * `int4`. ISO 8601 allows the year 0000 and offsets of 24 hours. Postgres rejects a statement with one of these values.
 */

import { z } from 'zod'

const [firstYear, lastYear] = [1000, 9999]

const inRange = (year: number): boolean => year >= firstYear && year <= lastYear

const years = `must be in the years ${firstYear} to ${lastYear}`

const isInstant = (text: string): boolean => inRange(new Date(text).getUTCFullYear())

/**
 * Maximum length of an instant in characters. Longer strings can be valid instants, but have more fractional digits
 * than Postgres reads.
 */
const longestInstant = 40

/**
 * Schema of an instant in ISO 8601 with its offset. The output is UTC with milliseconds. `which` sets the allowed
 * forms.
 */
const instant = (which: { offset?: true; local?: true }) =>
  z.iso
    .datetime({ ...which, abort: true })
    .max(longestInstant, { abort: true })
    .refine((text) => isInstant(which.local ? `${text}Z` : text), { message: years, abort: true })

/**
 * Schema of an instant with any offset. The output is UTC with milliseconds, because Postgres does not accept offsets
 * over 16 hours.
 */
export const InstantInput = instant({ offset: true }).overwrite((text) => new Date(text).toISOString())

export const InstantInUtc = instant({})

export const LocalTime = instant({ local: true })

export const Day = z.iso.date({ abort: true }).refine((text) => inRange(Number(text.slice(0, 4))), years)

export const Int4 = z.int32()

/** Schema of a number for a `real` column. Also rejects numbers that are too close to 0 for this type. */
export const Float4 = z.number().refine((value) => {
  const rounded = Math.fround(value)
  return Number.isFinite(rounded) && (rounded !== 0 || value === 0)
}, 'is too large or too small')

export const queryInt = (least: number, most: number) =>
  z.coerce.number().int().min(least).max(Math.min(most, 2_147_483_647))
