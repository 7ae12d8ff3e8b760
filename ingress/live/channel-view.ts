import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { type Channel, RenditionHeight, Visibility } from '#sql/live/channels.ts'
import type { Refusal } from '#sql/live/refusals.ts'
import type { SessionView } from '#sql/live/sessions.ts'
import { liveThumbnailKey } from '#tasks/video/rules/keys.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { Instant } from '../http/instant.ts'
import { rtmpsUrl, rtmpUrl, whipUrl } from './ingest.ts'
import { LastRefusal, presentRefusal } from './refusals.ts'
import { channelPlaylistUrl, openPlaylistUrl } from './urls.ts'

export const ChannelPlayback = z.object({
  hls: z.url().describe('Low-latency HLS. Requires the token of a playback session in `?token=`.'),
  open: z.url().nullable().describe('Low-latency HLS without a token. `null` while `visibility` is `signed`.'),
})

export const WhipIngest = z
  .object({ url: z.string() })
  .describe('URL to which web pages publish over WebRTC (WHIP), with a stream key as the Bearer token')

export const ChannelSummary = z
  .object({
    channelId: Id,
    name: z.string(),
    slug: z.string(),
    state: z
      .enum(['idle', 'connecting', 'live'])
      .describe(
        '`live` while viewers can watch. `connecting` while a publisher is connected but viewers cannot watch yet.',
      ),
    record: z.boolean(),
    dvrSeconds: z.int().describe('Time that viewers can rewind, in seconds'),
    ingest: z.object({
      rtmp: z.object({
        url: z.string(),
        secureUrl: z.string().nullable().describe('RTMPS URL. `null` if RTMPS is not set up.'),
      }),
      srt: z
        .object({ port: z.int() })
        .nullable()
        .describe('`null` if no SRT port was free when the channel was created'),
      whip: WhipIngest,
    }),
    visibility: Visibility,
    renditions: z
      .array(RenditionHeight)
      .describe('Heights of the lower qualities that Millrace creates in addition to the source'),
    slate: z.boolean().describe('Whether viewers see a slate while the publisher is disconnected'),
    playback: ChannelPlayback,
    created_at: Instant,
  })
  .meta({ id: 'live.ChannelSummary' })

const known = <T extends z.ZodType>(type: T) => type.nullable()

const Stream = z
  .object({
    broadcastId: Id,
    source: z.enum(['primary', 'backup', 'srt']).describe('Key of the publisher'),
    startedAt: Instant,
    lastPartAt: known(Instant),
    lastPart: known(
      z.object({
        segment: z.int().describe('Media sequence number of the segment'),
        part: z.int().describe('Index of the part in its segment, from 0'),
        duration: z.number().describe('Duration in seconds'),
        at: Instant,
      }),
    ).describe('Newest part that viewers can request'),
    bitRate: known(z.int()).describe('Bitrate in bits per second, over the last seconds'),
    frameRate: known(z.number()),
    videoCodec: known(z.string()).describe('Codec as in RFC 6381, for example `avc1.64001f`'),
    audioCodec: known(z.string()),
    width: known(z.int()),
    height: known(z.int()),
    gopSeconds: known(z.number()).describe('Interval between key frames in seconds'),
    viewers: known(z.int()),
    transcode: known(z.enum(['on', 'unavailable', 'failed'])).describe(
      'Whether `renditions` are created. `unavailable`: the worker had no capacity, or the source has more than 60 frames per second. `failed`: Millrace is retrying.',
    ),
    warnings: z.array(z.string()).describe('Settings that the publisher should change, for example B-frames'),
    thumbnailUrl: known(secret(z.url())).describe(
      'URL of an image from the last seconds. The URL works for two minutes.',
    ),
  })
  .meta({ id: 'live.Stream' })

export const ChannelStatus = ChannelSummary.extend({
  stream: Stream.nullable().describe('Broadcast in progress. `null` while the channel is idle.'),
  closedUntil: known(Instant).describe(
    'Publishers are rejected until this time, because a broadcast was ended. `null` if the channel is open.',
  ),
  lastRefusal: known(LastRefusal).describe(
    'Last publisher that was rejected, dropped or kept waiting, with the reason. `null` if there was none.',
  ),
}).meta({ id: 'live.Channel' })

export function presentChannelSummary(
  channel: Channel,
  session: Pick<SessionView, 'state'> | undefined,
  origin: string,
): z.input<typeof ChannelSummary> {
  const { id, name, slug, record, dvr_seconds, visibility, srt_port, created_at } = channel
  return {
    channelId: id,
    name,
    slug,
    state: session?.state ?? 'idle',
    record,
    dvrSeconds: dvr_seconds,
    ingest: {
      rtmp: { url: rtmpUrl(origin), secureUrl: rtmpsUrl(origin) },
      srt: srt_port === null ? null : { port: srt_port },
      whip: { url: whipUrl(origin) },
    },
    visibility,
    renditions: channel.renditions,
    slate: channel.slate,
    playback: {
      hls: channelPlaylistUrl(getPublicBase(origin), id),
      open: visibility === 'signed' ? null : openPlaylistUrl(getPublicBase(origin), id),
    },
    created_at,
  }
}

/** Time to live of a thumbnail URL in seconds. */
const linkSeconds = 120

export async function presentChannelStatus(
  channel: Channel,
  { session, refusal }: { session: SessionView | undefined; refusal: Refusal | null },
  origin: string,
  storage: Storage,
): Promise<z.input<typeof ChannelStatus>> {
  const { closed_until: closed } = channel
  return {
    ...presentChannelSummary(channel, session, origin),
    stream: session ? await streamOf(session, storage) : null,
    closedUntil: closed && closed > new Date() ? closed : null,
    lastRefusal: presentRefusal(refusal),
  }
}

async function streamOf(session: SessionView, storage: Storage): Promise<z.input<typeof Stream>> {
  const { facts, broadcast_id, source, started_at, last_part_at } = session
  const rate = facts.bitRate === undefined ? null : Math.round(facts.bitRate)
  return {
    broadcastId: broadcast_id,
    source,
    startedAt: started_at,
    lastPartAt: last_part_at,
    bitRate: rate,
    lastPart: facts.lastPart ? { ...facts.lastPart, at: new Date(facts.lastPart.at) } : null,
    frameRate: facts.frameRate ?? null,
    videoCodec: facts.videoCodec ?? null,
    audioCodec: facts.audioCodec ?? null,
    width: facts.width ?? null,
    height: facts.height ?? null,
    gopSeconds: facts.gopSeconds ?? null,
    viewers: facts.viewers ?? null,
    transcode: facts.transcode ?? null,
    warnings: facts.warnings ?? [],
    thumbnailUrl: facts.thumbnailAt ? await storage.signGet(liveThumbnailKey(session.channel_id), linkSeconds) : null,
  }
}
