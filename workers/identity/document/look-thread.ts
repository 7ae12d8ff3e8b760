/** Worker thread that finds lines in an image. */
import { type Band, findBands } from './bands.ts'
import { type Grey, turnByQuarter } from './picture.ts'

/** A possible place of lines. `isTurned` is true if they are upright after a quarter turn. */
export interface Place {
  isTurned: boolean
  band: Band
}

const mostBands = 3

export function work(picture: Grey): { places: Place[]; sharpness: number } {
  const ways = [false, true].map((isTurned) => ({
    isTurned,
    look: findBands(isTurned ? turnByQuarter(picture) : picture),
  }))
  const places = ways.flatMap(({ isTurned, look }) =>
    look.bands.slice(0, mostBands).map((band) => ({ isTurned, band })),
  )
  return {
    places: places.sort((a, b) => b.band.score - a.band.score),
    sharpness: Math.max(...ways.map(({ look }) => look.sharpness)),
  }
}
