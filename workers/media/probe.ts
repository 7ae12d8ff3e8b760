import { stat } from 'node:fs/promises'
import { z } from 'zod'
import type { AudioTrack, EngineCall, Probe, VideoTrack } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { parseRational } from '#tasks/video/rules/transcode/rational.ts'
import { leftOut, mostSounds } from '#tasks/video/rules/transcode/sound-tracks.ts'
import type { MediaTools } from './media-tools.ts'
import { type SoundTags, soundTags } from './sound-tags.ts'
import { maxPixels, untrusted } from './untrusted.ts'
import { faultOf } from './verdict.ts'

const count = z.coerce.number().catch(0)
const Stream = z.object({
  index: z.number(),
  codec_type: z.string().default(''),
  codec_name: z.string().default('unknown'),
  profile: z.string().default(''),
  level: count,
  pix_fmt: z.string().default(''),
  width: count,
  height: count,
  sample_aspect_ratio: z.string().optional(),
  field_order: z.string().default('unknown'),
  color_range: z.string().default(''),
  color_transfer: z.string().default(''),
  avg_frame_rate: z.string().optional(),
  r_frame_rate: z.string().optional(),
  nb_frames: count,
  duration: count,
  sample_rate: count,
  channels: count,
  disposition: z.object({ attached_pic: z.number().default(0) }).default({ attached_pic: 0 }),
  side_data_list: z.array(z.object({ rotation: count })).default([]),
})
type Stream = z.infer<typeof Stream>
const Answer = z.object({
  format: z.object({ format_name: z.string(), duration: count, bit_rate: count }),
  streams: z.array(Stream).default([]),
})

const streamFields = Object.keys(Stream.shape).filter((field) => field !== 'disposition' && field !== 'side_data_list')
// Only what is read here: a file's tags may hold megabytes.
const entries = [
  'format=format_name,duration,bit_rate',
  `stream=${streamFields.join(',')}`,
  'stream_disposition=attached_pic',
  'stream_side_data=rotation',
  'stream_side_data_list',
].join(':')

/** ffprobe gives the matrix's rotation counter-clockwise, in any degree; players turn by quarters. */
function quarterTurns(sideData: Stream['side_data_list']): VideoTrack['rotation'] {
  const counter = sideData.find(({ rotation }) => rotation !== 0)?.rotation ?? 0
  const turns = (((Math.round(-counter / 90) % 4) + 4) % 4) as 0 | 1 | 2 | 3
  return ([0, 90, 180, 270] as const)[turns]
}

const transfers: Record<string, VideoTrack['range']> = { smpte2084: 'pq', 'arib-std-b67': 'hlg' }

function videoTrack(stream: Stream): VideoTrack {
  return {
    index: stream.index,
    codec: stream.codec_name,
    profile: stream.profile,
    level: Math.max(0, stream.level),
    pixelFormat: stream.pix_fmt,
    width: stream.width,
    height: stream.height,
    pixelAspect: parseRational(stream.sample_aspect_ratio) ?? { num: 1, den: 1 },
    rotation: quarterTurns(stream.side_data_list),
    interlaced: ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order),
    range: transfers[stream.color_transfer] ?? 'sdr',
    fullRange: stream.color_range === 'pc',
    frameRate: parseRational(stream.avg_frame_rate),
    nominalRate: parseRational(stream.r_frame_rate),
    declaredFrames: stream.nb_frames || null,
    seconds: stream.duration,
  }
}

function audioTrack(stream: Stream, place: number, tags: SoundTags | undefined): AudioTrack {
  const { index, codec_name: codec, profile, sample_rate: sampleRate, channels, duration: seconds } = stream
  return { index, codec, profile, sampleRate, channels, seconds, number: place + 1, ...tags }
}

/** Splits sound tracks into those that are packaged and those left out: undecodable, or over the limit. */
function sortSounds(tracks: AudioTrack[]): Pick<Probe, 'audio' | 'moreAudio' | 'leftOut'> {
  const known = tracks.filter(({ codec, sampleRate }) => codec !== 'unknown' && sampleRate > 0)
  const [audio = null, ...moreAudio] = known.slice(0, mostSounds)
  const lost = tracks.filter((track) => !known.includes(track)).map((track) => leftOut(track, 'undecodable'))
  return { audio, moreAudio, leftOut: [...lost, ...known.slice(mostSounds).map((track) => leftOut(track, 'limit'))] }
}

function picture(streams: Stream[], messages: string[]): VideoTrack | null {
  const known = streams.filter(({ codec_name, width, height }) => codec_name !== 'unknown' && width > 0 && height > 0)
  const stream = known.find(({ pix_fmt }) => pix_fmt !== '') ?? known[0]
  if (!stream) return null
  if (stream.width * stream.height > maxPixels) {
    throw new MediaFault('too_large', `${stream.width}x${stream.height}`)
  }
  if (stream.pix_fmt === '') throw faultOf(messages, 'corrupt')
  return videoTrack(stream)
}

/** Reads the streams of a file; nothing but the first frames, which ffprobe needs for the pixel format, is decoded. */
export async function probe(tools: MediaTools, input: string, call: EngineCall): Promise<Probe> {
  const { size: bytes } = await stat(input)
  if (bytes === 0) throw new MediaFault('empty')
  let text = ''
  const run = await tools.ffprobe(['-of', 'json', '-show_entries', entries], untrusted(input), {
    call,
    timeout: 60_000,
    onOutput: (line) => {
      text += line
    },
  })
  if (!run.ok) {
    // Throws ENOENT if the local copy was deleted meanwhile, which says nothing about the film.
    await stat(input)
    throw faultOf(run.messages, 'not_media')
  }
  const { format, streams } = Answer.parse(JSON.parse(text))
  const still = (stream: Stream) => stream.disposition.attached_pic === 1
  const ofType = (type: string) => streams.filter((stream) => stream.codec_type === type && !still(stream))
  const video = picture(ofType('video'), run.messages)
  const heard = ofType('audio')
  // A single track needs no name in a menu.
  const tags = heard.length > 1 ? await soundTags(tools, input, call) : new Map<number, SoundTags>()
  const sounds = sortSounds(heard.map((stream, place) => audioTrack(stream, place, tags.get(stream.index))))
  if (!video && !sounds.audio) {
    const any = streams.some(({ codec_type }) => codec_type === 'video' || codec_type === 'audio')
    throw faultOf(run.messages, !any ? 'no_tracks' : run.errors > 0 ? 'corrupt' : 'unsupported_codec')
  }
  return {
    format: format.format_name,
    bytes,
    seconds: format.duration,
    bitRate: format.bit_rate,
    video,
    ...sounds,
    cover: streams.find(still)?.index ?? null,
  }
}
