import { z } from 'zod'

const Port = z.int().min(1).max(65_535)

/** Settings of a compositor. They do not change while it runs. */
export interface CompositorShape {
  title: string
  slots: number
  width: number
  height: number
  frameRate: number
  /** Fragmented MP4 or FLV on file descriptor 3, or an RTMP URL. */
  output: 'mp4' | 'flv' | { rtmp: string }
  /** True if the process must drop root permissions before it accepts media. */
  asNobody: boolean
}

/** Loopback ports of a slot. The payload types are in `payloadTypes`. */
const Slot = z.object({ index: z.int(), audioPort: Port, videoPort: Port })

export type Slot = z.infer<typeof Slot>

export type CompositorOrder =
  | { type: 'start'; shape: CompositorShape }
  /** Names of the visible slots, in display order. `main` is the slot that is shown large, if any. */
  | { type: 'show'; shown: { index: number; name: string }[]; main?: number | undefined }
  | { type: 'finish' }

/**
 * A line of output of the compositor process. `running`: the output has advanced. `refused`: the video of a slot is no
 * longer decoded, because its frame size is too large or hidden.
 */
export const CompositorReport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), slots: z.array(Slot) }),
  z.object({ type: z.literal('running'), seconds: z.number() }),
  z.object({
    type: z.literal('refused'),
    index: z.int(),
    size: z.object({ width: z.int(), height: z.int() }).optional(),
  }),
  z.object({ type: z.literal('ended'), error: z.string().optional() }),
])

export type CompositorReport = z.infer<typeof CompositorReport>
