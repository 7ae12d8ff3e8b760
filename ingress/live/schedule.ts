import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import * as scheduled from '#sql/live/scheduled.ts'
import { announceScheduled } from '#tasks/live/announce-scheduled.ts'
import { enqueueAnnouncements, mostScheduled } from '#tasks/live/rules/schedule-jobs.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { NewScheduled, presentScheduled, ScheduledChange, ScheduledView } from './schedule-view.ts'

const params = z.object({ channelId: pathId('live channel') })
const path = '/live/channels/{channelId}/schedule'
const ofOne = {
  path: `${path}/{scheduledId}`,
  params: params.extend({ scheduledId: pathId('scheduled broadcast') }),
  beyondContract: true,
} as const

const tooMany = problem(409, 'schedule_limit', `The channel already has ${mostScheduled} scheduled broadcasts.`)
const hasStarted = problem(409, 'broadcast_started', 'The scheduled broadcast has started and cannot be changed.')

/** Locks the limits of channels, so that concurrent requests cannot exceed the maximum. */
async function demandRoom(tx: Db, orgId: string, channelId: string): Promise<void> {
  await channels.lockCount(tx, orgId)
  await mustFind(channels.find(tx, orgId, channelId), 'live channel')
  if ((await scheduled.countUpcoming(tx, channelId)) >= mostScheduled)
    throw tooMany(`The channel already has ${mostScheduled} scheduled broadcasts. Delete one first.`)
}

export const create = route({
  method: 'POST',
  path,
  summary: 'Schedule a broadcast',
  description:
    'Viewers see a countdown on the watch page. Millrace sends `video.live.starting` before the start, and `video.live.missed` if the channel is not live in time.',
  scope: 'stream:write',
  beyondContract: true,
  enqueues: announceScheduled,
  params,
  body: NewScheduled,
  status: 201,
  reply: ScheduledView,
  problems: ['not_found', tooMany],
  example: {
    body: { title: 'Questions and answers', startsAt: '2030-01-31T18:00:00+01:00', reminderMinutes: [60, 15] },
  },
  async handle({ params: { channelId }, body, org, db }) {
    return await db.transaction(async (tx) => {
      await demandRoom(tx, org.id, channelId)
      const made = await scheduled.insert(tx, {
        id: newId(),
        org_id: org.id,
        channel_id: channelId,
        title: body.title,
        description: body.description,
        poster_url: body.posterUrl,
        starts_at: new Date(body.startsAt),
        reminder_minutes: body.reminderMinutes,
        late_minutes: body.lateMinutes,
      })
      await enqueueAnnouncements(tx, made)
      return presentScheduled(made)
    })
  },
})

export const list = listRoute({
  path,
  summary: 'List scheduled broadcasts of a channel',
  description: 'Returns the scheduled broadcasts of the channel, newest first, with their state.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  query: { state: scheduled.State.optional() },
  filters: scheduled.filters,
  problems: ['not_found'],
  item: ScheduledView,
  async rows({ params: { channelId }, org, db }, page) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await scheduled.list(db, org.id, channelId, page)
  },
  present: presentScheduled,
})

export const read = route({
  ...ofOne,
  method: 'GET',
  summary: 'Read a scheduled broadcast',
  description: 'Returns the scheduled broadcast with its state and the broadcast that started.',
  scope: 'stream:read',
  status: 200,
  reply: ScheduledView,
  problems: ['not_found'],
  async handle({ params: { channelId, scheduledId }, org, db }) {
    return presentScheduled(await mustFind(scheduled.find(db, org.id, channelId, scheduledId), 'scheduled broadcast'))
  },
})

export const update = route({
  ...ofOne,
  method: 'PATCH',
  summary: 'Change a scheduled broadcast',
  description: 'Reminders follow a new start time. A missed broadcast with a new start time is scheduled again.',
  scope: 'stream:write',
  enqueues: announceScheduled,
  body: ScheduledChange,
  status: 200,
  reply: ScheduledView,
  problems: ['not_found', hasStarted, tooMany],
  example: { body: { startsAt: '2030-01-31T19:00:00+01:00' } },
  async handle({ params: { channelId, scheduledId }, body, org, db }) {
    return await db.transaction(async (tx) => {
      await channels.lockCount(tx, org.id)
      const before = await mustFind(scheduled.find(tx, org.id, channelId, scheduledId), 'scheduled broadcast')
      const isMoved = [body.startsAt, body.reminderMinutes, body.lateMinutes].some((value) => value !== undefined)
      if (body.startsAt !== undefined && before.state === 'missed') await demandRoom(tx, org.id, channelId)
      const changes = {
        title: body.title,
        description: body.description,
        poster_url: body.posterUrl,
        ...(body.startsAt !== undefined && { starts_at: new Date(body.startsAt) }),
        ...(body.reminderMinutes !== undefined && { reminder_minutes: body.reminderMinutes }),
        late_minutes: body.lateMinutes,
      }
      const changed = await scheduled.update(tx, { id: scheduledId, channel_id: channelId }, changes, isMoved)
      if (!changed) throw hasStarted('The scheduled broadcast has started. Schedule another one.')
      if (isMoved) await enqueueAnnouncements(tx, changed)
      return presentScheduled(changed)
    })
  },
})

export const remove = removeRoute({
  ...ofOne,
  summary: 'Cancel a scheduled broadcast',
  description: 'Deletes the scheduled broadcast. No further events are sent for it.',
  scope: 'stream:write',
  reply: { scheduledId: Id },
  what: 'scheduled broadcast',
  remove: ({ params: { channelId, scheduledId }, org, db }) => scheduled.remove(db, org.id, channelId, scheduledId),
})
