import type { Rational } from './rational.ts'

export interface Cost {
  /** User and system time of the ffmpeg runs in seconds, without ffprobe's (about 0.05 s). */
  cpuSeconds: number
  wallSeconds: number
}

/** The video track of a file. Sizes are as stored: before rotation and pixel aspect. */
export interface VideoTrack {
  index: number
  codec: string
  profile: string
  /** H.264 level times ten, 0 if unknown. */
  level: number
  pixelFormat: string
  width: number
  height: number
  /** Pixel (sample) aspect ratio. */
  pixelAspect: Rational
  /** True if some frames have another pixel aspect; `undefined` if not checked. */
  reshaped?: boolean
  /** Clockwise rotation in degrees before display. */
  rotation: 0 | 90 | 180 | 270
  /** True if the matrix mirrors the video; `undefined` in mezzanines of earlier releases. */
  mirrored?: boolean
  interlaced: boolean
  /** For interlaced video: true if only the marked frames are interlaced, regardless of the container. */
  marked?: boolean
  range: 'sdr' | 'pq' | 'hlg'
  /** True if black is 0 instead of 16. */
  fullRange: boolean
  /** Mean frames per second from the container, or `null`. */
  frameRate: Rational | null
  /** Frames per second that fit every timestamp, guessed by ffmpeg, or `null`. */
  nominalRate: Rational | null
  /** Frame count from the container's index, or `null`. */
  declaredFrames: number | null
  /** Length in seconds; 0 if unknown. */
  seconds: number
}

export interface AudioTrack {
  index: number
  codec: string
  profile: string
  sampleRate: number
  channels: number
  /** Length in seconds; 0 if unknown. */
  seconds: number
  /** Number of the audio track in the upload, starting at 1; `undefined` in mezzanines of earlier releases. */
  number?: number
  /** BCP 47, if the upload contains it. */
  language?: string | null
  title?: string | null
  /** In a mezzanine: time of its first packet in seconds after the first frame. */
  start?: number
}

/** A track that is not in the package. `track` counts the tracks of its kind from 1. */
export interface LeftOutTrack {
  kind: 'audio' | 'video'
  track: number
  language: string | null
  name: string | null
  reason: 'limit' | 'undecodable' | 'late'
}

export interface Probe {
  /** Container name of ffmpeg, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string
  bytes: number
  /** Length in seconds; 0 when unknown. */
  seconds: number
  /** Mean bits per second of the whole file; 0 if unknown. */
  bitRate: number
  video: VideoTrack | null
  audio: AudioTrack | null
  /** Up to seven more audio tracks; `undefined` in mezzanines of earlier releases. */
  moreAudio?: AudioTrack[]
  leftOut?: LeftOutTrack[]
  /** Stream index of a cover image, or `null`. */
  cover: number | null
}

/** Display times of a mezzanine's frames, summarised from all packets. */
export interface Timeline {
  /** Seconds per tick. */
  timeBase: Rational
  /** In ticks: start of the video, last presentation time, and display time of the last frame. */
  first: number
  /**
   * Ticks from the start of the video to its first frame, which is held over earlier audio; `undefined` in mezzanines
   * of earlier releases.
   */
  lead?: number
  last: number
  lastDuration: number
  frames: number
  /** Rate that fits the frames; exact if `constant`. */
  rate: Rational
  /** True if frame i is shown at i / rate for every i, to within half a frame. */
  constant: boolean
  /** Longest time from a key frame to the next (or to the end), in ticks. */
  keyInterval: number
  /** True if frames after a key frame are shown before it, so that they need the previous group. */
  openGop: boolean
  /** True if an edit list hides stored frames. */
  trimmed: boolean
}

export interface Mezzanine extends Cost {
  path: string
  bytes: number
  probe: Probe
  /** `null` for an audio-only file. */
  timeline: Timeline | null
  /** Time of the first audio packet in seconds after the first frame. Negative with an encoder's priming. */
  audioStart: number
  /** Length of the longest track by its packets, in seconds. */
  seconds: number
}
