/** Aspect ratios of a tile. Two squares fit next to each other on a phone. */
const [wide, square] = [16 / 9, 1]
const gap = 8
/** Minimum width of a tile in pixels. If there is not enough space, the tiles scroll. */
const leastWidth = 132

/** Returns the width of the largest tile with this ratio of which `count` fit. */
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
 * Sizes the tiles: all equal, or a shared screen large and the others in a strip next to it (below it in a tall
 * window). Returns the height of each tile.
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

/** In a strip below, a scroll bar can be under the tiles. */
const stripTile = (strip, isTall) => (isTall ? Math.floor((strip - gap) * wide) : strip)
