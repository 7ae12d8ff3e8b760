export interface PictureSize {
  width: number
  height: number
}

export const largestPicture = { long: 1920, short: 1080 } as const

export const fits = ({ width, height }: PictureSize): boolean =>
  Math.max(width, height) <= largestPicture.long && Math.min(width, height) <= largestPicture.short
