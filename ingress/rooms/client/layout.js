/** Possible aspect ratios of a tile. On a phone, two square tiles fit next to each other. */
const [wide, square] = [16 / 9, 1]
const gap = 8
/** Minimum width of a tile in pixels. If there is not enough space, the user can scroll the tiles. */
const leastWidth = 132

/** Returns the maximum width of a tile with this ratio if `count` tiles must fit. */
function widest(count, width, height, ratio) {
  let best = 0
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns)
    const across = (width - gap * (columns - 1)) / columns
    const down = ((height - gap * (rows - 1)) / rows) * ratio
    best = Math.max(best, Math.floor(Math.min(across, down)))
  }
  return best
}

/**
 * Sets the sizes of the tiles. All tiles are equal, unless a screen is shared. Then the screen is large and the others
 * are in a strip next to it, or below it in a tall window. Returns the height of each tile.
 */
export function arrange(stage, tiles) {
  const { clientWidth: width, clientHeight: height } = stage
  const screens = tiles.filter(({ dataset }) => dataset.source === 'screen')
  const others = tiles.filter(({ dataset }) => dataset.source !== 'screen')
  const isTall = height > width
  stage.classList.toggle('shared', screens.length > 0)
  stage.classList.toggle('tall', isTall)
  const strip = Math.round(Math.min(Math.max((isTall ? height : width) * 0.2, leastWidth / (isTall ? wide : 1)), 260))
  const ratio = isTall && screens.length === 0 && others.length > 1 ? square : wide
  const size = screens.length > 0 ? stripTile(strip, isTall) : widest(others.length, width, height, ratio)
  const tile = Math.min(Math.max(size, leastWidth), width)
  stage.style.setProperty('--tile', `${tile}px`)
  stage.style.setProperty('--ratio', String(ratio))
  stage.style.setProperty('--strip', `${strip}px`)
  return new Map(tiles.map((one) => [one, screens.includes(one) ? height : tile / ratio]))
}

/** If the strip is below the screen, there can be a scroll bar under the tiles. */
const stripTile = (strip, isTall) => (isTall ? Math.floor((strip - gap) * wide) : strip)
