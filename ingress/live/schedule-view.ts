import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Scheduled, State } from '#sql/live/scheduled.ts'
import { mostReminders } from '#tasks/live/rules/schedule-jobs.ts'
import { Instant } from '../http/instant.ts'

/** Maximum time in milliseconds between now and the start of a broadcast. */
const mostAheadMs = 366 * 86_400_000

const StartTime = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => new Date(text).getTime() > Date.now(), 'must be in the future')
  .refine((text) => new Date(text).getTime() < Date.now() + mostAheadMs, 'must be within 366 days')
  .describe('Start time, ISO 8601 with a time zone. For example, `2030-01-31T18:00:00+01:00`.')

const Reminders = z
  .array(z.int().min(1).max(10_080))
  .max(mostReminders)
  .transform((minutes) => [...new Set(minutes)].sort((a, b) => b - a))
  .describe('Minutes before the start at which `video.live.starting` is sent')

const title = z.string().trim().min(1).max(200)
const description = z.string().trim().max(5_000)
const posterUrl = z
  .url({ protocol: /^https$/, error: 'must be an HTTPS URL' })
  .max(2_000)
  .nullable()
  .describe('Image that viewers see before the start')
const lateMinutes = z
  .int()
  .min(1)
  .max(720)
  .describe('Minutes after the start. If the channel is not live by then, `video.live.missed` is sent.')

export const NewScheduled = z.strictObject({
  title,
  description: description.default(''),
  posterUrl: posterUrl.default(null),
  startsAt: StartTime,
  reminderMinutes: Reminders.default([15]),
  lateMinutes: lateMinutes.default(10),
})

export const ScheduledChange = z
  .strictObject({
    title: title.optional(),
    description: description.optional(),
    posterUrl: posterUrl.optional(),
    startsAt: StartTime.optional(),
    reminderMinutes: Reminders.optional(),
    lateMinutes: lateMinutes.optional(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), 'must contain a field to change')

export const ScheduledView = z
  .object({
    scheduledId: Id,
    channelId: Id,
    title: z.string(),
    description: z.string(),
    posterUrl: z.string().nullable(),
    startsAt: Instant,
    reminderMinutes: z.array(z.int()),
    lateMinutes: z.int(),
    state: State.describe(
      '`started`: a broadcast went live up to 30 minutes before or 12 hours after the start, or the channel was already live. `missed`: the channel was not live `lateMinutes` after the start.',
    ),
    broadcastId: Id.nullable().describe('Broadcast that started'),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'live.ScheduledBroadcast' })

export const presentScheduled = (one: Scheduled): z.input<typeof ScheduledView> => ({
  scheduledId: one.id,
  channelId: one.channel_id,
  title: one.title,
  description: one.description,
  posterUrl: one.poster_url,
  startsAt: one.starts_at,
  reminderMinutes: one.reminder_minutes,
  lateMinutes: one.late_minutes,
  state: one.state,
  broadcastId: one.broadcast_id,
  createdAt: one.created_at,
  updatedAt: one.updated_at,
})
