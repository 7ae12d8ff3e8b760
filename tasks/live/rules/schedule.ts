import type { Db } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import type { Scheduled } from '#sql/live/scheduled.ts'
import { emit } from '../../webhooks/rules/emit.ts'

export async function emitScheduled(
  tx: Db,
  scheduled: Scheduled,
  type: 'video.live.starting' | 'video.live.missed',
  minutes: number | null,
): Promise<void> {
  const { name, slug } = await channels.findIncludingDeleted(tx, scheduled.channel_id)
  await emit(tx, scheduled.org_id, type, {
    scheduledId: scheduled.id,
    channelId: scheduled.channel_id,
    name,
    slug,
    title: scheduled.title,
    description: scheduled.description,
    posterUrl: scheduled.poster_url,
    startsAt: scheduled.starts_at.toISOString(),
    minutesBefore: minutes,
  })
}
