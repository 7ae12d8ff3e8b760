/**
 * Numbers and times as clients may give them, in bodies, queries and cursors: what Postgres takes, no more. JSON has integers
 * beyond `int4`, ISO 8601 has a year 0000 and offsets of 24 hours, and each of them would be an error of the statement.
 */

import { z } from 'zod'

/** The years that times may be in: room is left for sums and differences. */
const [firstYear, lastYear] = [1000, 9999]

const inRange = (year: number): boolean => year >= firstYear && year <= lastYear

const years = `must lie in the years ${firstYear} to ${lastYear}`

const isInstant = (text: string): boolean => inRange(new Date(text).getUTCFullYear())

/** Longer texts are instants, too, with more digits of a second than Postgres reads. */
const longestInstant = 40

/** An instant in ISO 8601 with its offset, as text in UTC to the millisecond; `which` makes it stricter. */
const instant = (which: { offset?: true; local?: true }) =>
  z.iso
    .datetime({ ...which, abort: true })
    .max(longestInstant, { abort: true })
    .refine((text) => isInstant(which.local ? `${text}Z` : text), { message: years, abort: true })

/** An instant with any offset; what comes of it is in UTC, to the millisecond: offsets beyond 16 hours are none to Postgres. */
export const InstantInput = instant({ offset: true }).overwrite((text) => new Date(text).toISOString())

/** An instant as this service writes it in cursors and links: in UTC. */
export const InstantInUtc = instant({})

/** A date and time of day without offset, as a form's `datetime-local` gives it. */
export const LocalTime = instant({ local: true })

/** A day, such as 2026-01-31. */
export const Day = z.iso.date({ abort: true }).refine((text) => inRange(Number(text.slice(0, 4))), years)

/** A whole number that an `integer` column holds. */
export const Int4 = z.int32()

/** A number that a `real` column holds: those nearer to 0 than it can tell are refused, too. */
export const Float4 = z.number().refine((value) => {
  const rounded = Math.fround(value)
  return Number.isFinite(rounded) && (rounded !== 0 || value === 0)
}, 'has a size that is not counted with')

/** A whole number in a query, from `least` to `most`. */
export const queryInt = (least: number, most: number) =>
  z.coerce.number().int().min(least).max(Math.min(most, 2_147_483_647))

/** Seconds since 1970, as a text of digits or a number, of a time that Postgres and `Date` both take; what comes of it is a `Date`. */
export const EpochSeconds = z
  .union([z.string().regex(/^\d{1,12}$/), z.int().min(0)])
  .transform(Number)
  .refine((seconds) => inRange(new Date(seconds * 1000).getUTCFullYear()), years)
  .transform((seconds) => new Date(seconds * 1000))
