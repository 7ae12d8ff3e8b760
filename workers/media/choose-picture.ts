import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import type { Stream } from './streams.ts'
import { maxPixels } from './untrusted.ts'
import { faultOf } from './verdict.ts'

/** Tracks whose lengths differ by less than this share count as equally long. */
const nearly = 0.9

/** A track that is shorter than this share of the longest one is a thumbnail, whatever its file calls it. */
const brief = 0.05

/** Scores of a track, the first that differs decides: not a thumbnail, then the default one, then the longest, then the largest. */
function scores(tracks: readonly Stream[], lengths: ReadonlyMap<number, number>): (track: Stream) => number[] {
  const secondsOf = ({ index, duration }: Stream) => duration || (lengths.get(index) ?? 0)
  const longest = Math.max(...tracks.map(secondsOf))
  return (track) => {
    // A length that nothing tells says nothing.
    const seconds = secondsOf(track) || longest
    const isFilm = track.nb_frames !== 1 && seconds >= longest * brief
    const isLong = seconds >= longest * nearly
    const { pix_fmt, disposition, width, height } = track
    return [Number(pix_fmt !== ''), Number(isFilm), disposition.default, isLong ? longest : seconds, width * height]
  }
}

/**
 * Chooses the picture track that is shown, as players show one; null when a file has none that is known. Throws for one that cannot be
 * decoded. `lengths` has those that tags tell, by stream index.
 */
export function choosePicture(
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
  if (stream.pix_fmt === '') throw faultOf(messages, 'corrupt')
  refuseColours(stream)
  return stream
}

/** Dolby Vision whose base layer has colours of its own (profile 5): without them applied, pictures are green and violet. */
function refuseColours({ side_data_list: data }: Stream): void {
  const found = data.find(({ dv_profile, dv_bl_signal_compatibility_id: compatible }) => dv_profile && compatible === 0)
  if (found) throw new MediaFault('unsupported_colours', `Dolby Vision profile ${found.dv_profile}`)
}
