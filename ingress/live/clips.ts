import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as chunks from '#sql/live/chunks.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { clip } from '#tasks/video/clip.ts'
import { createClip } from '#tasks/video/rules/clips/create-clip.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import {
  ClipReply,
  checkClipStorage,
  checkRange,
  clipFields,
  longestClip,
  Position,
  planExceeded,
  shortestClip,
} from '../playback/clip-request.ts'

export const idle = problem(409, 'channel_idle', 'The channel has no broadcast in progress.')
export const unrecorded = problem(409, 'channel_not_recorded', 'The broadcast is not recorded, so no clip can be cut.')

const needed = 'is required, or both `start` and `end`'

const Body = z
  .strictObject({
    lastSeconds: z
      .number()
      .min(shortestClip)
      .max(longestClip)
      .optional()
      .describe('Length of the clip, which ends now. Shorter if the broadcast is shorter.'),
    start: Position.optional().describe('Start in seconds after the start of the recording'),
    end: Position.optional().describe('End in seconds after the start of the recording'),
    ...clipFields,
  })
  .superRefine(({ lastSeconds, start, end }, { addIssue }) => {
    const issue = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message })
    const given = [start, end].filter((value) => value !== undefined).length
    if (lastSeconds !== undefined && given > 0) issue('lastSeconds', 'cannot be used together with `start` or `end`')
    else if (lastSeconds === undefined && given === 0) issue('lastSeconds', needed)
    else if (given === 1) issue(start === undefined ? 'start' : 'end', 'is required, because only one end is set')
  })

export const create = route({
  method: 'POST',
  path: '/live/channels/{channelId}/clips',
  summary: 'Cut a clip from a live channel',
  description:
    'Creates an asset from the broadcast in progress, which must be recorded. Send `lastSeconds`, or `start` and `end` on the timeline of the recording. The broadcast and its recording do not change.',
  scope: 'stream:write',
  beyondContract: true,
  idempotent: { field: 'idempotencyKey' },
  params: z.object({ channelId: pathId('live channel') }),
  body: Body,
  status: 201,
  reply: ClipReply.meta({ id: 'live.Clip' }),
  problems: ['not_found', idle, unrecorded, planExceeded],
  example: { body: { lastSeconds: 30, title: 'Goal' } },
  enqueues: clip,
  async handle({ params: { channelId }, body, org, plan, db }) {
    const channel = await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await cutClip(db, channel, plan, body)
  },
})

/** Cuts a clip from the broadcast in progress of a channel. Throws if there is none, or if it is not recorded. */
export async function cutClip(
  tx: Db,
  channel: channels.Channel,
  plan: Plan,
  body: z.output<typeof Body>,
): Promise<z.input<typeof ClipReply>> {
  const broadcastId = await findRecorded(tx, channel.id)
  const stored = await chunks.measure(tx, broadcastId)
  const range = rangeOf(body, stored.seconds)
  const share = stored.seconds > 0 ? (range.end - range.start) / stored.seconds : 0
  const expectedBytes = Math.ceil(stored.bytes * share)
  await checkClipStorage(tx, channel.org_id, plan, expectedBytes)
  const from = { assetId: null, channelId: channel.id, broadcastId, ...range }
  const made = await createClip(tx, {
    org_id: channel.org_id,
    title: body.title ?? channel.name,
    description: body.description ?? null,
    external_ref: body.externalRef ?? null,
    metadata: {},
    profile: body.processingProfile,
    visibility: body.visibility ?? channel.visibility,
    from,
    expectedBytes,
  })
  return { assetId: made.id, status: made.status, clipped_from: made.clipped_from ?? from }
}

/** Returns the ID of the broadcast in progress. Throws 409 if no broadcast is in progress, or if it is not recorded. */
async function findRecorded(db: Db, channelId: string): Promise<string> {
  const session = (await liveSessions.findShown(db, [channelId])).get(channelId)
  const broadcast = session && (await broadcasts.findAny(db, session.broadcast_id))
  if (!broadcast || broadcast.ended_at)
    throw idle('The channel has no broadcast in progress. Cut the clip from the asset of its recording.')
  if (!broadcast.record) throw unrecorded('The broadcast is not recorded. Set `record` of the channel to true.')
  return broadcast.id
}

function rangeOf({ lastSeconds, start, end }: z.output<typeof Body>, seconds: number): { start: number; end: number } {
  if (lastSeconds !== undefined) {
    if (seconds < shortestClip)
      throw badRequest([
        { field: 'body.lastSeconds', issue: 'cannot be used yet, because the broadcast has just started' },
      ])
    return { start: Math.max(0, seconds - lastSeconds), end: seconds }
  }
  const range = { start: start ?? 0, end: end ?? 0 }
  checkRange(range, seconds, 'stored broadcast')
  return range
}
