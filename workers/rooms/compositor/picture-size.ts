/** Size of a frame in pixels. */
export interface FrameSize {
  width: number
  height: number
}

export const maxFrameSize = { long: 1920, short: 1080 } as const

export const isAllowedFrameSize = ({ width, height }: FrameSize): boolean =>
  Math.max(width, height) <= maxFrameSize.long && Math.min(width, height) <= maxFrameSize.short
