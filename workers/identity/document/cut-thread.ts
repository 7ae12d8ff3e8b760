/** The thread in which lines are cut out of a picture. */
import { cut, type Grey, halfTurned, quarterTurned, type Region } from './picture.ts'

/** A part of a picture, which may have to be turned by a quarter first. */
interface Part {
  picture: Grey
  isTurned: boolean
  region: Region
  scale: number
}

/** What is cut out of a picture, as it stands and turned by half. */
export function work({ picture, isTurned, region, scale }: Part): Grey[] {
  const lines = cut(isTurned ? quarterTurned(picture) : picture, region, scale)
  return [lines, halfTurned(lines)]
}
