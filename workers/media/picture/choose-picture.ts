import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import type { Stream } from '../streams.ts'
import { maxPixels } from '../untrusted.ts'
import { toMediaFault } from '../verdict.ts'

/** Tracks whose lengths differ by less than this share count as equally long. */
const nearly = 0.9

/** A track shorter than this share of the longest one is a thumbnail, regardless of its tags. */
const brief = 0.05

/**
 * Returns the scores of a track. The first score that differs decides: not a thumbnail, then default, then longest,
 * then largest.
 */
function scores(tracks: readonly Stream[], lengths: ReadonlyMap<number, number>): (track: Stream) => number[] {
  const secondsOf = ({ index, duration }: Stream) => duration || (lengths.get(index) ?? 0)
  const longest = Math.max(...tracks.map(secondsOf))
  return (track) => {
    const seconds = secondsOf(track) || longest
    const isFilm = track.nb_frames !== 1 && seconds >= longest * brief
    const isLong = seconds >= longest * nearly
    const { pix_fmt, disposition, width, height } = track
    return [Number(pix_fmt !== ''), Number(isFilm), disposition.default, isLong ? longest : seconds, width * height]
  }
}

/**
 * Chooses the video track to show, as players do. Returns `null` if the file has none of a known format. Throws if the
 * track cannot be decoded. `lengths` contains the lengths from tags by stream index.
 */
export function chooseVideoTrack(
  streams: readonly Stream[],
  lengths: ReadonlyMap<number, number>,
  messages: string[],
): Stream | null {
  const known = streams.filter(({ codec_name, width, height }) => codec_name !== 'unknown' && width > 0 && height > 0)
  const scoresOf = scores(known, lengths)
  const [stream] = known.toSorted((a, b) => {
    const of = scoresOf(b)
    const differences = scoresOf(a).map((score, i) => (of[i] as number) - score)
    return differences.find((difference) => difference !== 0) ?? 0
  })
  if (!stream) return null
  if (stream.width * stream.height > maxPixels) throw new MediaFault('too_large', `${stream.width}x${stream.height}`)
  if (stream.pix_fmt === '') throw toMediaFault(messages, 'corrupt')
  refuseColours(stream)
  return stream
}

/** Without conversion, Dolby Vision with its own colours in the base layer (profile 5) looks green and violet. */
function refuseColours({ side_data_list: data }: Stream): void {
  const found = data.find(({ dv_profile, dv_bl_signal_compatibility_id: compatible }) => dv_profile && compatible === 0)
  if (found) throw new MediaFault('unsupported_colours', `Dolby Vision profile ${found.dv_profile}`)
}
