import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Day } from '#lib/input-types.ts'
import { isTimeZone } from '#lib/time-zone.ts'
import * as bots from '#sql/bots/bots.ts'
import * as rows from '#sql/bots/hours.ts'
import { findIntervalFaults, getAvailability } from '#tasks/bots/rules/office-hours.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { botParams } from './fields.ts'

const [maxIntervals, maxClosedDates] = [50, 100]

export const availabilityFields = {
  available: z.boolean().describe('True if people reply now. A bot without office hours is always available.'),
  next_open_at: Instant.nullable().describe('Next opening. `null` if people are available, or if there is none.'),
}

const Interval = z.strictObject({
  day: z.int().min(1).max(7).describe('Day of the week, 1 (Monday) to 7 (Sunday)'),
  from: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time, such as 09:00')
    .describe('Local start, such as `09:00`'),
  to: z
    .string()
    .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time, such as 17:30 or 24:00')
    .describe('Local end, such as `17:30`. `24:00` is the end of the day.'),
})

const body = z.strictObject({
  time_zone: z
    .string()
    .max(64, { abort: true })
    .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Vienna')
    .describe('IANA time zone, such as `Europe/Vienna`'),
  intervals: z
    .array(Interval)
    .max(maxIntervals)
    .describe(`Weekly office hours, up to ${maxIntervals} intervals that do not overlap. Empty: always closed.`),
  closed_dates: z
    .array(Day)
    .max(maxClosedDates)
    .refine((dates) => new Set(dates).size === dates.length, 'must not repeat a date')
    .default([])
    .describe(`Local dates without office hours, such as \`2027-12-25\`. Up to ${maxClosedDates}.`),
  asks_email: z
    .boolean()
    .default(true)
    .describe('True to ask visitors for an email address outside office hours. Default: true.'),
})

const Hours = z
  .object({
    bot_id: Id,
    time_zone: z.string(),
    intervals: z.array(rows.Interval),
    closed_dates: z.array(z.string()),
    asks_email: z.boolean(),
    updated_at: Instant,
    ...availabilityFields,
  })
  .meta({ id: 'bots.Hours' })

const present = (hours: rows.Hours): z.input<typeof Hours> => ({ ...hours, ...getAvailability(hours, Date.now()) })

export const read = route({
  method: 'GET',
  path: '/{botId}/hours',
  summary: 'Read the office hours of a bot',
  description:
    'Returns the office hours of one of your bots, and whether people are available now. A bot without office hours returns `404`.',
  scope: 'bots:read',
  params: botParams,
  status: 200,
  reply: Hours,
  problems: ['not_found'],
  async handle({ params: { botId }, org, db }) {
    const { id } = await mustFind(bots.find(db, org.id, botId), 'bot')
    return present(await mustFind(rows.find(db, id), 'office hours'))
  },
})

export const update = route({
  method: 'PUT',
  path: '/{botId}/hours',
  summary: 'Set the office hours of a bot',
  description:
    'Replaces the office hours. A handover outside office hours adds a message with the next opening, in the language of the visitor. The conversation waits.',
  scope: 'bots:write',
  idempotent: true,
  params: botParams,
  body,
  status: 200,
  reply: Hours,
  problems: ['not_found'],
  example: {
    body: {
      time_zone: 'Europe/Vienna',
      intervals: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' })),
      closed_dates: ['2027-12-25'],
    },
  },
  async handle({ params: { botId }, body: given, org, db }) {
    const faults = findIntervalFaults(given.intervals)
    if (faults.length > 0)
      throw badRequest(faults.map(({ index, field, issue }) => ({ field: `body.intervals.${index}.${field}`, issue })))
    const { id } = await mustFind(bots.lock(db, org.id, botId), 'bot')
    const intervals = given.intervals.toSorted((a, b) => a.day - b.day || (a.from < b.from ? -1 : 1))
    return present(
      await rows.replace(db, { ...given, intervals, closed_dates: given.closed_dates.toSorted(), bot_id: id }),
    )
  },
})

export const remove = removeRoute({
  path: '/{botId}/hours',
  summary: 'Delete the office hours of a bot',
  description: 'The bot is always open again.',
  scope: 'bots:write',
  params: botParams,
  what: 'office hours',
  reply: { bot_id: Id },
  async remove({ params: { botId }, org, db }) {
    const { id } = await mustFind(bots.lock(db, org.id, botId), 'bot')
    return await rows.remove(db, id)
  },
})
