import { cut, type Grey, halfTurned, quarterTurned, type Region } from './picture.ts'

interface Part {
  picture: Grey
  isTurned: boolean
  region: Region
  scale: number
}

export function work({ picture, isTurned, region, scale }: Part): Grey[] {
  const lines = cut(isTurned ? quarterTurned(picture) : picture, region, scale)
  return [lines, halfTurned(lines)]
}
