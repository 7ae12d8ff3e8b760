/** A picture's width and height in pixels. */
export interface PictureSize {
  width: number
  height: number
}

/** Sides of the largest picture that is decoded, lying or standing. */
export const largestPicture = { long: 1920, short: 1080 } as const

/** Whether a picture is small enough to be decoded. */
export const fits = ({ width, height }: PictureSize): boolean =>
  Math.max(width, height) <= largestPicture.long && Math.min(width, height) <= largestPicture.short
