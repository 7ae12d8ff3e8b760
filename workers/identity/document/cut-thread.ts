/** Worker thread that cuts lines out of an image. */
import { cut, type Grey, type Region, turnByHalf, turnByQuarter } from './picture.ts'

interface Part {
  picture: Grey
  isTurned: boolean
  region: Region
  scale: number
}

export function work({ picture, isTurned, region, scale }: Part): Grey[] {
  const lines = cut(isTurned ? turnByQuarter(picture) : picture, region, scale)
  return [lines, turnByHalf(lines)]
}
