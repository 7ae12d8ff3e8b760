import type { Rational } from './rational.ts'

export interface Cost {
  /** User and system time of the ffmpeg runs, in seconds (ffprobe's, some 0.05 s, is not counted). */
  cpuSeconds: number
  /** Wall-clock time, in seconds. */
  wallSeconds: number
}

/** The picture track of a file, sizes as stored: before rotation and before the pixel aspect is applied. */
export interface VideoTrack {
  index: number
  codec: string
  profile: string
  /** H.264 level times ten, 0 when unknown. */
  level: number
  pixelFormat: string
  width: number
  height: number
  /** Pixel (sample) aspect ratio. */
  pixelAspect: Rational
  /** Whether some pictures have pixels of another aspect; absent where nobody looked. */
  reshaped?: boolean
  /** Degrees to turn the picture clockwise before it is shown. */
  rotation: 0 | 90 | 180 | 270
  /** Whether its pictures are turned over by their matrix, as in a mirror; absent in mezzanines of former releases. */
  mirrored?: boolean
  interlaced: boolean
  /** Of interlaced pictures: whether only those are, that are marked as such, whatever the container says of the track. */
  marked?: boolean
  range: 'sdr' | 'pq' | 'hlg'
  /** Whether black is 0 rather than 16. */
  fullRange: boolean
  /** Mean frames per second as the container tells it; null when it does not. */
  frameRate: Rational | null
  /** Frames per second that every timestamp would fit, ffmpeg's guess; null when there is none. */
  nominalRate: Rational | null
  /** Frames that the container's index promises; null when it has none. */
  declaredFrames: number | null
  /** Length in seconds; 0 when unknown. */
  seconds: number
}

/** The sound track of a file. */
export interface AudioTrack {
  index: number
  codec: string
  profile: string
  sampleRate: number
  channels: number
  /** Length in seconds; 0 when unknown. */
  seconds: number
  /** Which of the upload's sound tracks it is, counted from 1; mezzanines of former releases do not tell. */
  number?: number
  /** BCP 47, if the upload tells. */
  language?: string | null
  /** As the upload calls it. */
  title?: string | null
  /** Of a mezzanine: when its first packet is shown, in seconds after the first picture. */
  start?: number
}

/** A track that is left out of the package; `track` counts those of its kind from 1. */
export interface LeftOutTrack {
  kind: 'audio' | 'video'
  track: number
  language: string | null
  name: string | null
  reason: 'limit' | 'undecodable' | 'late'
}

/** What a file says it holds: the picture track that is shown, and the decodable sound tracks. */
export interface Probe {
  /** ffmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string
  bytes: number
  /** Length in seconds; 0 when unknown. */
  seconds: number
  /** Mean bits per second of the whole file; 0 when unknown. */
  bitRate: number
  video: VideoTrack | null
  audio: AudioTrack | null
  /** Further sound tracks, seven at most; mezzanines of former releases have none. */
  moreAudio?: AudioTrack[]
  leftOut?: LeftOutTrack[]
  /** Stream index of a still cover picture, null when there is none. */
  cover: number | null
}

/** When the frames of a mezzanine are shown, summed up from all its packets. */
export interface Timeline {
  /** Seconds per tick. */
  timeBase: Rational
  /** When the film begins, the last presentation time, and how long the last frame is shown, in ticks. */
  first: number
  /** Ticks from the film's beginning to its first picture, which is held over the sound before it; none in mezzanines of former releases. */
  lead?: number
  last: number
  lastDuration: number
  /** Frames that are shown. */
  frames: number
  /** The rate that fits the frames: exact when `constant`. */
  rate: Rational
  /** Whether frame i is shown at i / rate for every i, to within half a frame. */
  constant: boolean
  /** Longest time from one key frame to the next (or to the end), in ticks. */
  keyInterval: number
  /** Whether frames after a key frame are shown before it, and so need the group before. */
  openGop: boolean
  /** Whether an edit list hides frames that are stored. */
  trimmed: boolean
}

/** The remuxed upload with what was counted in it. */
export interface Mezzanine extends Cost {
  path: string
  bytes: number
  probe: Probe
  /** Null for a sound-only file. */
  timeline: Timeline | null
  /** When the sound's first packet is shown, in seconds after the first picture; an encoder's priming makes it negative. */
  audioStart: number
  /** Length of the longest track by its packets, in seconds. */
  seconds: number
}
