interface Tile {
  x: number
  y: number
  width: number
  height: number
}

const even = (value: number): number => 2 * Math.floor(value / 2)

/** Arranges tiles of equal size row by row. An incomplete last row is centred. */
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

const stripShare = 1 / 5

export function layOutBeside(count: number, main: number, width: number, height: number): Tile[] {
  const others = count - 1
  if (others < 1) return layOut(count, width, height)
  const strip = even(width * stripShare)
  const small = even(Math.min(height / others, (strip * height) / width))
  const top = (height - others * small) / 2
  return Array.from({ length: count }, (_, i) => {
    if (i === main) return { x: 0, y: 0, width: even(width - strip), height: even(height) }
    const place = i < main ? i : i - 1
    return { x: even(width - strip), y: even(top + place * small), width: strip, height: small }
  })
}
