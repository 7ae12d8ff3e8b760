import { heldSeconds, leadSeconds } from './film-length.ts'
import type { AudioTrack, Mezzanine } from './media.ts'
import { toNumber } from './rational.ts'

const videoProfiles = new Set(['Baseline', 'Constrained Baseline', 'Main', 'High'])
const audioProfiles = new Set(['LC', 'HE-AAC', 'HE-AACv2'])

/** Most bits per second that a viewer is asked to take while the ladder is being made. */
const maxBitRate = 25_000_000

/** Longest wait for a key frame, in seconds: a segment is at least as long. */
const maxKeyInterval = 10

/** A copy's sound is cut where its picture begins and ends, by this many seconds at most; the ladder has all of it. */
const mostCut = 1

/**
 * Whether a mezzanine plays in browsers as it is, so that `packageCopy` can make the asset playable in seconds: H.264 8-bit 4:2:0 SDR, progressive,
 * upright, square pixels, closed groups of sane length, with AAC of one or two channels or no sound. A watermarked asset must
 * not be copied, whatever this says.
 */
export function isCopyable(mezzanine: Mezzanine): boolean {
  const { probe, timeline, seconds, bytes } = mezzanine
  const { video, audio } = probe
  if (!video || !timeline) return false
  const plain =
    video.codec === 'h264' &&
    video.range === 'sdr' &&
    videoProfiles.has(video.profile) &&
    video.pixelFormat === 'yuv420p' &&
    video.level <= 52
  const square = video.pixelAspect.num === video.pixelAspect.den && !video.reshaped
  const upright = video.rotation === 0 && !video.mirrored && !video.interlaced
  const even = video.width % 2 === 0 && video.height % 2 === 0
  const regular = !timeline.openGop && !timeline.trimmed && timeline.frames > 1
  const brief = timeline.keyInterval * toNumber(timeline.timeBase) <= maxKeyInterval
  const light = seconds > 0 && (bytes * 8) / seconds <= maxBitRate
  const whole = heldSeconds(mezzanine) <= mostCut && leadSeconds(timeline) <= mostCut
  return plain && whole && square && upright && even && regular && brief && light && (!audio || isCopyableSound(audio))
}

/** Whether browsers play a sound track as it is. */
export const isCopyableSound = ({ codec, profile, channels }: AudioTrack): boolean =>
  codec === 'aac' && audioProfiles.has(profile) && channels <= 2
