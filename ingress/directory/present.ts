import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as live from '#sql/directory/live-streams.ts'
import * as videos from '#sql/directory/videos.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import { Instant } from '../http/instant.ts'

const OfChannel = z.object({ handle: z.string(), name: z.string(), url: z.url() }).nullable()

const shared = {
  uuid: Id,
  title: z.string().nullable(),
  description: z.string(),
  language: z.string().nullable(),
  channel: OfChannel,
}

export const Video = z
  .object({
    ...shared,
    kind: videos.Kind.describe('`short`: taller than wide and up to three minutes long'),
    tags: z.array(z.string()),
    duration_seconds: z.number().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    thumbnails: z.array(z.object({ url: z.url() })),
    playback: z.object({
      hls_url: z.url(),
      embed_url: z.url().describe('URL of a web page with the player, for an iframe on any site'),
    }),
    captions: z.array(z.object({ language: z.string() })).describe('Captions in the HLS playlist'),
    is_live: z.literal(false),
    was_live: z.boolean().describe('True if the video is the recording of a broadcast'),
    views: z
      .int()
      .describe('Number of viewers. Each viewer is counted once per day. Automated clients are not counted.'),
    published_at: Instant,
    url: z.url().describe('URL of the watch page'),
  })
  .meta({ id: 'directory.Video' })

export const Live = z
  .object({
    ...shared,
    kind: z.literal('live'),
    playback: z.object({ hls_url: z.url().nullable() }),
    is_live: z.boolean(),
    live: z.object({
      status: live.Status,
      scheduled_start_at: Instant.nullable(),
      started_at: Instant.nullable(),
      ended_at: Instant.nullable(),
      viewer_count: z.int(),
    }),
    published_at: Instant,
  })
  .meta({ id: 'directory.Live' })

interface InChannel {
  channel_handle: string | null
  channel_name: string | null
}

export const channelUrl = (origin: string, handle: string): string =>
  `${getPublicBase(origin)}/watch/channels/${handle}`

export const watchUrl = (origin: string, id: string): string => `${getPublicBase(origin)}/watch/${id}`

export const playlistUrl = (origin: string, id: string): string => `${getPublicBase(origin)}/watch/playlists/${id}`

export const presentChannel = ({ channel_handle: handle, channel_name: name }: InChannel, origin: string) =>
  handle === null || name === null ? null : { handle, name, url: channelUrl(origin, handle) }

export function presentVideo(row: videos.Video, origin: string): z.input<typeof Video> {
  const { channel_id: _, channel_handle, channel_name, poster, captions, id, ...facts } = row
  const base = getOpenBase(origin, id)
  return {
    ...facts,
    uuid: id,
    thumbnails: poster ? [{ url: `${base}/poster.jpg` }] : [],
    playback: { hls_url: `${base}/master.m3u8`, embed_url: `${base}/embed` },
    captions: captions.map((language) => ({ language })),
    is_live: false as const,
    channel: presentChannel({ channel_handle, channel_name }, origin),
    url: watchUrl(origin, id),
  }
}

export function presentLive(row: live.LiveStream, origin: string): z.input<typeof Live> {
  const { status, scheduled_start_at, started_at, ended_at, viewer_count } = row
  return {
    uuid: row.id,
    kind: 'live' as const,
    title: row.title,
    description: row.description,
    language: row.language,
    channel: presentChannel(row, origin),
    playback: { hls_url: row.hls_path === null ? null : `${getPublicBase(origin)}${row.hls_path}` },
    is_live: status === 'live',
    live: { status, scheduled_start_at, started_at, ended_at, viewer_count },
    published_at: row.created_at,
  }
}
