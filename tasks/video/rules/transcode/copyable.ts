import { getHeldSeconds, getLeadSeconds } from './film-length.ts'
import type { AudioTrack, Mezzanine } from './media.ts'
import { toNumber } from './rational.ts'

const videoProfiles = new Set(['Baseline', 'Constrained Baseline', 'Main', 'High'])
const audioProfiles = new Set(['LC', 'HE-AAC', 'HE-AACv2'])

/** Maximum bit rate of a source that viewers get before the renditions are ready, in bits per second. */
const maxBitRate = 25_000_000

/** Maximum time between key frames in seconds, because a segment is at least this long. */
const maxKeyInterval = 10

/**
 * Maximum length of audio that a copy cuts at its start and end, in seconds. The renditions have the complete audio.
 */
const mostCut = 1

/**
 * True if browsers can play a mezzanine without conversion, so that `packageCopy` makes the asset playable in seconds.
 * It must be H.264 8-bit 4:2:0 SDR, progressive and upright, with square pixels and closed groups of normal length. Its
 * audio must be AAC of one or two channels, or missing. Assets with a watermark must never be copied.
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
  const whole = getHeldSeconds(mezzanine) <= mostCut && getLeadSeconds(timeline) <= mostCut
  return plain && whole && square && upright && even && regular && brief && light && (!audio || isCopyableSound(audio))
}

export const isCopyableSound = ({ codec, profile, channels }: AudioTrack): boolean =>
  codec === 'aac' && audioProfiles.has(profile) && channels <= 2
