import { z } from 'zod'

const Port = z.int().min(1).max(65_535)

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
const Slot = z.object({ index: z.int(), audioPort: Port, videoPort: Port })

export type Slot = z.infer<typeof Slot>

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
export const Report = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), slots: z.array(Slot) }),
  z.object({ type: z.literal('running'), seconds: z.number() }),
  z.object({
    type: z.literal('refused'),
    index: z.int(),
    size: z.object({ width: z.int(), height: z.int() }).optional(),
  }),
  z.object({ type: z.literal('ended'), error: z.string().optional() }),
])

export type Report = z.infer<typeof Report>
