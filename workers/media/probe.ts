import { stat } from 'node:fs/promises'
import type { AudioTrack, EngineCall, LeftOutTrack, Probe, VideoTrack } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { parseRational } from '#tasks/video/rules/transcode/rational.ts'
import { maxAudioTracks, toLeftOut } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { withOptions } from './command.ts'
import type { MediaTools } from './media-tools.ts'
import { chooseVideoTrack } from './picture/choose-picture.ts'
import { getReachOptions, type Reach, readStreams, type Stream } from './streams.ts'
import { type TrackTags, trackTags } from './track-tags.ts'
import { openUpload } from './untrusted.ts'
import { toMediaFault } from './verdict.ts'

/** Maximum number of channels of an audio track that ffmpeg can mix. */
const mostChannels = 64

/**
 * ffprobe returns the rotation of the matrix counter-clockwise, in any number of degrees. Players rotate only by
 * quarter turns.
 */
function quarterTurns(sideData: Stream['side_data_list']): VideoTrack['rotation'] {
  const counter = sideData.find(({ rotation }) => rotation !== 0)?.rotation ?? 0
  const turns = (((Math.round(-counter / 90) % 4) + 4) % 4) as 0 | 1 | 2 | 3
  return ([0, 90, 180, 270] as const)[turns]
}

/**
 * True if a matrix mirrors the video, which means that its determinant is negative. ffprobe prints the matrix as three
 * lines of three numbers.
 */
function isMirrored(sideData: Stream['side_data_list']): boolean {
  const text = sideData.find(({ displaymatrix }) => displaymatrix !== '')?.displaymatrix ?? ''
  const [a = 1, b = 0, , c = 0, d = 1] = [...text.matchAll(/(?<=\s)-?\d+(?=\s|$)/g)].map(Number)
  return a * d - b * c < 0
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
    mirrored: isMirrored(stream.side_data_list),
    interlaced: ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order),
    range: transfers[stream.color_transfer] ?? 'sdr',
    fullRange: stream.color_range === 'pc',
    frameRate: parseRational(stream.avg_frame_rate),
    nominalRate: parseRational(stream.r_frame_rate),
    declaredFrames: stream.nb_frames || null,
    seconds: stream.duration,
  }
}

function audioTrack(stream: Stream, place: number, tags: TrackTags | undefined): AudioTrack {
  const { index, codec_name: codec, profile, sample_rate: sampleRate, channels, duration: seconds } = stream
  const { language, title } = tags ?? {}
  const names = tags && { language: language ?? null, title: title ?? null }
  return { index, codec, profile, sampleRate, channels, seconds, number: place + 1, ...names }
}

function sortSounds(tracks: AudioTrack[]): { audio: AudioTrack | null; moreAudio: AudioTrack[]; lost: LeftOutTrack[] } {
  const known = tracks.filter(
    ({ codec, sampleRate, channels }) => codec !== 'unknown' && sampleRate > 0 && channels <= mostChannels,
  )
  const [audio = null, ...moreAudio] = known.slice(0, maxAudioTracks)
  const lost = tracks.filter((track) => !known.includes(track)).map((track) => toLeftOut(track, 'undecodable'))
  return { audio, moreAudio, lost: [...lost, ...known.slice(maxAudioTracks).map((track) => toLeftOut(track, 'limit'))] }
}

function otherPictures(streams: Stream[], shown: Stream | null, tags: ReadonlyMap<number, TrackTags>): LeftOutTrack[] {
  return streams.flatMap((stream, place) => {
    const { language = null, title = null } = tags.get(stream.index) ?? {}
    const reason = stream.codec_name === 'unknown' || stream.pix_fmt === '' ? 'undecodable' : 'limit'
    return stream === shown ? [] : [{ kind: 'video', track: place + 1, language, name: title, reason }]
  })
}

export interface Inspection {
  probe: Probe
  reach: Reach
}

/**
 * Reads the tracks of a file, at least up to `reach`. Decodes only the first frames, from which ffprobe gets the pixel
 * format.
 */
export async function inspect(
  tools: MediaTools,
  input: string,
  call: EngineCall,
  atLeast: Reach = 'usual',
  open = openUpload,
): Promise<Inspection> {
  const { size: bytes } = await stat(input)
  if (bytes === 0) throw new MediaFault('empty')
  const { format, streams, reach, messages, errors } = await readStreams(tools, { path: input, open }, call, atLeast)
  const still = (stream: Stream) => stream.disposition.attached_pic === 1
  const ofType = (type: string) => streams.filter((stream) => stream.codec_type === type && !still(stream))
  const [seen, heard] = [ofType('video'), ofType('audio')]
  const isNamed = heard.length > 1 || seen.length > 1
  const tags = isNamed ? await trackTags(tools, withOptions(getReachOptions(reach), open(input)), call) : new Map()
  const lengths = new Map([...tags].map(([index, { seconds }]) => [index, seconds]))
  const shown = chooseVideoTrack(seen, lengths, messages)
  const names = heard.length > 1 ? tags : new Map<number, TrackTags>()
  const { lost, ...sounds } = sortSounds(
    heard.map((stream, place) => audioTrack(stream, place, names.get(stream.index))),
  )
  if (!shown && !sounds.audio) {
    const any = streams.some(({ codec_type }) => codec_type === 'video' || codec_type === 'audio')
    throw toMediaFault(messages, !any ? 'no_tracks' : errors > 0 ? 'corrupt' : 'unsupported_codec')
  }
  const probe = {
    format: format.format_name,
    bytes,
    seconds: format.duration,
    bitRate: format.bit_rate,
    video: shown && videoTrack(shown),
    ...sounds,
    leftOut: [...lost, ...otherPictures(seen, shown, tags)],
    cover: streams.find(still)?.index ?? null,
  }
  return { probe, reach }
}

export async function probe(tools: MediaTools, input: string, call: EngineCall): Promise<Probe> {
  return (await inspect(tools, input, call)).probe
}
