import type { PictureSize } from './picture-size.ts'

/** What a compositor is made for; it holds as long as it runs. */
export interface CompositorShape {
  /** What is shown while nobody is: the room's name. */
  title: string
  /** How many people can be shown at once. */
  slots: number
  width: number
  height: number
  frameRate: number
  /** Fragmented MP4 or FLV on its file descriptor 3, or RTMP. */
  output: 'mp4' | 'flv' | { rtmp: string }
  /** Whether it is to become nobody before it takes anything in. */
  asNobody: boolean
}

/** Where a slot takes packets in, on loopback; payload types as in `payloadTypes`. */
export interface Slot {
  index: number
  audioPort: number
  videoPort: number
}

/** A line to the compositor's program. */
export type Order =
  | { type: 'start'; shape: CompositorShape }
  /** The names of the slots that are shown, in their order; `main` is the slot that is shown large, if one is. */
  | { type: 'show'; shown: { index: number; name: string }[]; main?: number | undefined }
  | { type: 'finish' }

/**
 * A line from the compositor's program; `running` each time that its output went on, `refused` when a slot's pictures are not decoded
 * from then on, as they are too large or hide their size.
 */
export type Report =
  | { type: 'ready'; slots: Slot[] }
  | { type: 'running'; seconds: number }
  | { type: 'refused'; index: number; size?: PictureSize | undefined }
  | { type: 'ended'; error?: string }
