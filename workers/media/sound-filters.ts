import type { AudioTrack, Mezzanine } from '#tasks/video/engine.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'
import type { Filter } from './command.ts'

export const sampleRate = 48_000

/** Samples that ffmpeg's AAC encoder puts before the sound; a decoder plays them. */
export const priming = 1024

/** Samples of the track that a film's pictures need, without the encoder's priming. */
export const lengthFor = (seconds: number): number => Math.max(1, Math.round(seconds * sampleRate) - priming)

/** Most channels of a layout that ffmpeg can guess from their number. */
const guessed = 8

/** Numbers of channels that are heights above a layout with a centre (third) and low frequencies (fourth): 5.1.4, 7.1.4 and so on. */
const surround = new Set([10, 12, 14, 16])

/** Mixes more channels than ffmpeg knows a layout of: left and right in turn, a centre to both. */
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

/** A sound track on the clock of the film, as 48 kHz stereo. */
export function stereo({ timeline }: Mezzanine, { channels }: AudioTrack): Filter[] {
  const clock = timeline ? `PTS-(${timeline.first * toNumber(timeline.timeBase)}/TB)` : 'PTS-STARTPTS'
  return [
    { filter: 'asetpts', options: clock },
    ...(channels > guessed ? [mix(channels)] : []),
    { filter: 'aformat', options: { sample_rates: sampleRate, channel_layouts: 'stereo' } },
  ]
}

/** Begins sound at the film's beginning, and makes silence of gaps of more than 0.1 s in its times. */
export const fill: Filter = { filter: 'aresample', options: { async: 1, first_pts: priming } }

/**
 * Makes sound as long as the film, less its first 1,024 samples (21 ms), in whose place the encoder puts its priming: so the first packet
 * is at 0 and needs no edit list, and what follows is heard when it should be by players that know edit lists and by those that do not.
 */
export function toLength(seconds: number): Filter[] {
  const length = lengthFor(seconds)
  return [
    { filter: 'apad', options: { whole_len: length } },
    { filter: 'atrim', options: { end_pts: priming + length } },
  ]
}
