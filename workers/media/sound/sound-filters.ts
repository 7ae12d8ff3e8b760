import type { AudioTrack, Mezzanine } from '#tasks/video/engine.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'
import type { Filter } from '../command.ts'

export const sampleRate = 48_000

/** Number of samples that ffmpeg's AAC encoder adds at the start. Decoders play them. */
export const priming = 1024

/** Returns the number of samples of a track that is as long as the video, without the encoder's priming. */
export const lengthFor = (seconds: number): number => Math.max(1, Math.round(seconds * sampleRate) - priming)

/** Maximum number of channels for which ffmpeg can guess a layout. */
const guessed = 8

/**
 * Numbers of channels with height channels above a layout that has a centre (third) and low frequencies (fourth):
 * 5.1.4, 7.1.4 and so on.
 */
const surround = new Set([10, 12, 14, 16])

/** Mixes channels without a layout. Channels alternate between left and right. A centre goes to both. */
function mix(channels: number): Filter {
  const side = (first: number) => {
    const terms = Array.from({ length: channels }, (_, i) => {
      if (surround.has(channels) && (i === 2 || i === 3)) return [`${i === 2 ? 0.7 : 0.3}*c${i}`]
      if (i % 2 !== first) return []
      return [i < 2 ? `c${i}` : `0.6*c${i}`]
    })
    return terms.flat().join('+')
  }
  return { filter: 'pan', options: `stereo|c0<${side(0)}|c1<${side(1)}` }
}

export function stereo({ timeline }: Mezzanine, { channels }: AudioTrack): Filter[] {
  const clock = timeline ? `PTS-(${timeline.first * toNumber(timeline.timeBase)}/TB)` : 'PTS-STARTPTS'
  return [
    { filter: 'asetpts', options: clock },
    ...(channels > guessed ? [mix(channels)] : []),
    { filter: 'aformat', options: { sample_rates: sampleRate, channel_layouts: 'stereo' } },
  ]
}

/** Starts audio with the video and fills gaps of more than 0.1 s with silence. */
export const fillGaps: Filter = { filter: 'aresample', options: { async: 1, first_pts: priming } }

/**
 * Makes audio as long as the video, minus its first 1,024 samples (21 ms), which the encoder's priming replaces. The
 * first packet is then at 0 without an edit list. The rest is in sync in all players, even in players without support
 * for edit lists.
 */
export function toLength(seconds: number): Filter[] {
  const length = lengthFor(seconds)
  return [
    { filter: 'apad', options: { whole_len: length } },
    { filter: 'atrim', options: { end_pts: priming + length } },
  ]
}
