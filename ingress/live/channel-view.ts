import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { type Channel, RenditionHeight, Visibility } from '#sql/live/channels.ts'
import type { Refusal } from '#sql/live/refusals.ts'
import type { SessionView } from '#sql/live/sessions.ts'
import { liveThumbnailKey } from '#tasks/video/rules/keys.ts'
import { baseFor } from '#tasks/video/rules/open-url.ts'
import { Instant } from '../http/instant.ts'
import { rtmpsUrl, rtmpUrl, whipUrl } from './ingest.ts'
import { LastRefusal, refusalOf } from './refusals.ts'
import { channelPlaylist, openLive } from './urls.ts'

/** Where a channel is watched. */
export const ChannelPlayback = z.object({
  hls: z.url().describe('Low-latency HLS; `?token=` of a playback session opens it'),
  open: z.url().nullable().describe('Low-latency HLS without a token; null while `visibility` is `signed`'),
})

/** Where pages publish to. */
export const WhipIngest = z
  .object({ url: z.string() })
  .describe('Pages publish there by WebRTC (WHIP), with a stream key as the Bearer token')

/** A channel as lists show it. */
export const ChannelSummary = z
  .object({
    channelId: Id,
    name: z.string(),
    slug: z.string(),
    state: z
      .enum(['idle', 'connecting', 'live'])
      .describe('`live` while viewers can watch; `connecting` while a publisher is there and they cannot yet'),
    record: z.boolean(),
    dvrSeconds: z.int().describe('How far back viewers can go'),
    ingest: z.object({
      rtmp: z.object({ url: z.string(), secureUrl: z.string().nullable().describe('RTMPS; null when it is closed') }),
      srt: z.object({ port: z.int() }).nullable().describe('Null when the range of ports had none left'),
      whip: WhipIngest,
    }),
    visibility: Visibility,
    renditions: z.array(RenditionHeight).describe('Heights that are made beside what the encoder sends'),
    slate: z.boolean().describe('Whether viewers are shown a slate while the publisher is away'),
    playback: ChannelPlayback,
    created_at: Instant,
  })
  .meta({ id: 'live.ChannelSummary' })

const known = <T extends z.ZodType>(type: T) => type.nullable()

/** What is being broadcast. */
const Stream = z
  .object({
    broadcastId: Id,
    source: z.enum(['primary', 'backup', 'srt']).describe('Which key its publisher came with'),
    startedAt: Instant,
    lastPartAt: known(Instant),
    lastPart: known(
      z.object({
        segment: z.int().describe('Media sequence number of its segment'),
        part: z.int().describe('Its place in that, from 0'),
        duration: z.number().describe('Seconds'),
        at: Instant,
      }),
    ).describe('The newest part that viewers can ask for'),
    bitRate: known(z.int()).describe('Bits a second over the last seconds'),
    frameRate: known(z.number()),
    videoCodec: known(z.string()).describe('As in RFC 6381, such as `avc1.64001f`'),
    audioCodec: known(z.string()),
    width: known(z.int()),
    height: known(z.int()),
    gopSeconds: known(z.number()).describe('Seconds from one key frame to the next'),
    viewers: known(z.int()),
    transcode: known(z.enum(['on', 'unavailable', 'failed'])).describe(
      'Whether `renditions` are made; `unavailable` where the host had no room for them, or more than 60 pictures come a second; `failed` while they are tried again',
    ),
    warnings: z.array(z.string()).describe('What the publisher should change, such as B-frames'),
    thumbnailUrl: known(secret(z.url())).describe('A picture of the last seconds; the address works for two minutes'),
  })
  .meta({ id: 'live.Stream' })

/** A channel with what is being broadcast. */
export const ChannelStatus = ChannelSummary.extend({
  stream: Stream.nullable().describe('Null while the channel is idle'),
  closedUntil: known(Instant).describe('Publishers are refused until then, as a broadcast was ended'),
  lastRefusal: known(LastRefusal).describe('The last publisher that was refused, dropped or kept waiting, and why'),
}).meta({ id: 'live.Channel' })

/** A channel as lists show it. */
export function summaryOf(
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
      hls: channelPlaylist(baseFor(origin), id),
      open: visibility === 'signed' ? null : openLive(baseFor(origin), id),
    },
    created_at,
  }
}

/** Seconds that a thumbnail's address works. */
const linkSeconds = 120

/** A channel with what is being broadcast. */
export async function statusOf(
  channel: Channel,
  { session, refusal }: { session: SessionView | undefined; refusal: Refusal | null },
  origin: string,
  storage: Storage,
): Promise<z.input<typeof ChannelStatus>> {
  const { closed_until: closed } = channel
  return {
    ...summaryOf(channel, session, origin),
    stream: session ? await streamOf(session, storage) : null,
    closedUntil: closed && closed > new Date() ? closed : null,
    lastRefusal: refusalOf(refusal),
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
