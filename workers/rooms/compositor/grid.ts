/** A rectangle in pixels, all numbers even. */
interface Tile {
  x: number
  y: number
  width: number
  height: number
}

const even = (value: number): number => 2 * Math.floor(value / 2)

/** Lays so many tiles of one size out in a picture, row by row, a last row that is not full in its middle. */
export function layOut(count: number, width: number, height: number): Tile[] {
  const columns = Math.ceil(Math.sqrt(count))
  const rows = Math.ceil(count / columns)
  const tile = { width: even(width / columns), height: even(height / rows) }
  return Array.from({ length: count }, (_, i) => {
    const row = Math.floor(i / columns)
    const inRow = Math.min(columns, count - row * columns)
    const left = (width - inRow * tile.width) / 2
    return { x: even(left + (i % columns) * tile.width), y: row * tile.height, ...tile }
  })
}
