/** The thread in which lines are looked for on a picture. */
import { type Band, lookForBands } from './bands.ts'
import { type Grey, quarterTurned } from './picture.ts'

/** A place where lines may be, and whether they stand upright once the picture is turned by a quarter. */
export interface Place {
  isTurned: boolean
  band: Band
}

/** Places of each of the two ways round that a picture's lines may run. */
const mostBands = 3

/** Where lines may be on a picture, the likeliest first, and how sharp it is. */
export function work(picture: Grey): { places: Place[]; sharpness: number } {
  const ways = [false, true].map((isTurned) => ({
    isTurned,
    look: lookForBands(isTurned ? quarterTurned(picture) : picture),
  }))
  const places = ways.flatMap(({ isTurned, look }) =>
    look.bands.slice(0, mostBands).map((band) => ({ isTurned, band })),
  )
  return {
    places: places.sort((a, b) => b.band.score - a.band.score),
    sharpness: Math.max(...ways.map(({ look }) => look.sharpness)),
  }
}
