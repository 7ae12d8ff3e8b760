/** In pixels. */
export interface PictureSize {
  width: number
  height: number
}

/** Maximum sides of video that is decoded, in landscape or portrait. */
export const largestPicture = { long: 1920, short: 1080 } as const

export const fits = ({ width, height }: PictureSize): boolean =>
  Math.max(width, height) <= largestPicture.long && Math.min(width, height) <= largestPicture.short
