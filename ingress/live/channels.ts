import { z } from 'zod'
import { parsePortRange } from '#lib/config/values.ts'
import { config } from '#lib/config.ts'
import { Id, newId } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Db } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import { notifyGone } from '#sql/live/chats.ts'
import * as refusals from '#sql/live/refusals.ts'
import { removeAll as removeRestreams } from '#sql/live/restreams.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import {
  ChannelPlayback,
  ChannelStatus,
  ChannelSummary,
  presentChannelStatus,
  presentChannelSummary,
  WhipIngest,
} from './channel-view.ts'
import { makePassphrase, makeStreamKey, rtmpsUrl, rtmpUrl, srtUrl, whipUrl } from './ingest.ts'
import { demandFree, generateSlug, Slug, slugTaken } from './slugs.ts'

const params = z.object({ channelId: pathId('live channel') })

const tooMany = problem(400, 'plan_limit_exceeded', 'The plan does not allow another live channel.')

const name = z.string().trim().min(1).max(200)
/** Length of the DVR window in seconds. Four hours of a broadcast at 8 Mb/s use 14 GB on the disk of its worker. */
const dvrSeconds = z.int().min(0).max(14_400)

const renditions = z
  .array(channels.RenditionHeight)
  .max(3)
  .transform((heights) => [...new Set(heights)].sort((a, b) => b - a))
  .describe('Heights of the lower qualities that Millrace creates. Only heights below the source height are created.')

const slateDescription = 'Show viewers a still image with silence while the publisher is disconnected'

const visibilityDescription =
  'Required to watch. `signed`: a playback session. `unlisted`: the URL in `playback.open`. `public`: that URL, and the streaming directory lists the broadcasts.'

const KeyShown = z.object({
  url: z.string(),
  secureUrl: z.string().nullable().describe('The same server over TLS. `null` if RTMPS is not set up.'),
  streamKey: secret(z.string()),
})

/** Creates a channel. Only this response contains the keys. */
export const create = route({
  method: 'POST',
  path: '/live/channels',
  summary: 'Create a live channel',
  description:
    'The stream keys and the SRT URL are returned only in this response. Store them. Use the URLs exactly as returned.',
  scope: 'stream:write',
  body: z.strictObject({
    name,
    slug: Slug.optional().describe('Slug in URLs. Default: created from the name.'),
    record: z.boolean().default(true).describe('Create an asset from each broadcast'),
    dvrSeconds: dvrSeconds.default(600).describe('Time that viewers can rewind, in seconds'),
    visibility: channels.Visibility.default('signed').describe(visibilityDescription),
    renditions: renditions.default([]),
    slate: z.boolean().default(false).describe(slateDescription),
  }),
  status: 201,
  reply: z
    .object({
      channelId: Id,
      name: z.string(),
      slug: z.string(),
      record: z.boolean(),
      dvrSeconds: z.int(),
      visibility: channels.Visibility,
      renditions: z.array(channels.RenditionHeight),
      slate: z.boolean(),
      ingest: z.object({
        rtmp: KeyShown,
        backup: KeyShown.describe('Key of a second encoder, which is broadcast while the primary sends no data'),
        srt: secret(z.string()).nullable().describe('SRT URL. `null` if no SRT port was free.'),
        whip: WhipIngest,
      }),
      playback: ChannelPlayback,
      created_at: Instant,
    })
    .meta({ id: 'live.NewChannel' }),
  problems: [tooMany, slugTaken],
  example: { body: { name: 'Main stage', dvrSeconds: 1800 } },
  async handle({ body, org, plan, db, origin, services }) {
    const id = newId()
    const [primary, backup] = [makeStreamKey(), makeStreamKey()]
    const passphrase = makePassphrase(id, services)
    const channel = await db.transaction(async (tx) => {
      const max = plan.live_channels
      if ((await channels.lockCount(tx, org.id)) >= max)
        throw tooMany(`Your plan allows ${max} live channels. Delete a channel, or change the plan.`, { max })
      if (body.slug) await demandFree(tx, org.id, body.slug)
      await channels.notifyChanged(tx, id)
      return await channels.insert(tx, {
        id,
        org_id: org.id,
        name: body.name,
        slug: body.slug ?? (await generateSlug(tx, org.id, body.name)),
        record: body.record,
        dvr_seconds: body.dvrSeconds,
        visibility: body.visibility,
        renditions: body.renditions,
        slate: body.slate,
        primary_hash: primary.stored,
        backup_hash: backup.stored,
        srt_port: await channels.takePort(tx, parsePortRange(config.LIVE_SRT_PORTS)),
        srt_passphrase: passphrase.stored,
      })
    })
    const { ingest: _, state: __, ...shown } = presentChannelSummary(channel, undefined, origin)
    const urls = { url: rtmpUrl(origin), secureUrl: rtmpsUrl(origin) }
    return {
      ...shown,
      ingest: {
        rtmp: { ...urls, streamKey: primary.text },
        backup: { ...urls, streamKey: backup.text },
        srt: channel.srt_port === null ? null : srtUrl(origin, channel.srt_port, passphrase.text),
        whip: { url: whipUrl(origin) },
      },
    }
  },
})

export const list = listRoute({
  path: '/live/channels',
  summary: 'List live channels',
  description: 'Returns live channels without their stream keys.',
  tool: { name: 'list_live_channels' },
  scope: 'stream:read',
  item: ChannelSummary,
  async rows({ org, db }, page) {
    const found = await channels.list(db, org.id, page)
    const sessions = await liveSessions.findShown(
      db,
      found.map(({ id }) => id),
    )
    return found.map((channel) => ({ ...channel, session: sessions.get(channel.id) }))
  },
  present: ({ session, ...channel }, { origin }) => presentChannelSummary(channel, session, origin),
})

async function readBroadcastAndRefusal(db: Db, channelId: string) {
  const [sessions, refusal] = await Promise.all([liveSessions.findShown(db, [channelId]), refusals.find(db, channelId)])
  return { session: sessions.get(channelId), refusal }
}

export const read = route({
  method: 'GET',
  path: '/live/channels/{channelId}',
  summary: 'Read a live channel',
  description:
    'Returns the channel with its state and the broadcast in progress. `live` means that viewers can currently watch.',
  scope: 'stream:read',
  params,
  status: 200,
  reply: ChannelStatus,
  problems: ['not_found'],
  async handle({ params: { channelId }, org, db, origin, services }) {
    const channel = await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await presentChannelStatus(channel, await readBroadcastAndRefusal(db, channelId), origin, services(storage))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/live/channels/{channelId}',
  summary: 'Update a live channel',
  description: '`record`, `dvrSeconds`, `renditions` and `slate` apply from the next broadcast.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z
    .strictObject({
      name: name.optional(),
      slug: Slug.optional(),
      record: z.boolean().optional(),
      dvrSeconds: dvrSeconds.optional(),
      visibility: channels.Visibility.optional().describe(visibilityDescription),
      renditions: renditions.optional(),
      slate: z.boolean().optional().describe(slateDescription),
    })
    .refine((body) => Object.values(body).some((value) => value !== undefined), 'must change at least one field'),
  status: 200,
  reply: ChannelStatus,
  problems: ['not_found', slugTaken],
  example: { body: { record: false } },
  async handle({ params: { channelId }, body, org, db, origin, services }) {
    const channel = await db.transaction(async (tx) => {
      await channels.lockCount(tx, org.id)
      const before = await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      if (body.slug && body.slug !== before.slug) await demandFree(tx, org.id, body.slug)
      await channels.notifyChanged(tx, channelId)
      // Viewers without a session lose access immediately, even if their request waits for the next part.
      if (body.visibility === 'signed' && before.visibility !== 'signed') await channels.notifyRevoked(tx, channelId)
      const { dvrSeconds: dvr_seconds, ...rest } = body
      return await mustFind(channels.update(tx, org.id, channelId, { ...rest, dvr_seconds }), 'live channel')
    })
    return await presentChannelStatus(channel, await readBroadcastAndRefusal(db, channelId), origin, services(storage))
  },
})

export const remove = removeRoute({
  path: '/live/channels/{channelId}',
  summary: 'Delete a live channel',
  description: 'Ends a broadcast in progress. Recordings are kept as assets.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  reply: { channelId: Id },
  what: 'live channel',
  remove: async ({ params: { channelId }, org, db }) => {
    if (!(await channels.remove(db, org.id, channelId))) return false
    await liveSessions.requestEnd(db, channelId, 'deleted')
    await removeRestreams(db, channelId)
    await notifyGone(db, channelId)
    await channels.notifyChanged(db, channelId)
    return true
  },
})
