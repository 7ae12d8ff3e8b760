export interface Grey {
  data: Uint8Array
  width: number
  height: number
}

/** A part of an image: its centre, its size, and its rotation in radians. */
export interface Region {
  x: number
  y: number
  width: number
  height: number
  angle: number
}

/** Parses a binary PGM (netpbm) with one byte per pixel. Returns `null` if it is invalid. */
export function readPgm(bytes: Uint8Array): Grey | null {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1').split('\n')
  const [magic, size = '', depth = ''] = head
  const [width = 0, height = 0] = size.split(' ').map(Number)
  const from = `${magic}\n${size}\n${depth}\n`.length
  if (magic !== 'P5' || depth !== '255' || bytes.length < from + width * height) return null
  return { data: bytes.subarray(from, from + width * height), width, height }
}

export const pgmOf = ({ data, width, height }: Grey): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data])

/** Turns an image clockwise by a quarter turn. */
export function turnByQuarter({ data, width, height }: Grey): Grey {
  const turned = new Uint8Array(data.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) turned[x * height + (height - 1 - y)] = data[y * width + x] ?? 0
  }
  return { data: turned, width: height, height: width }
}

export const turnByHalf = ({ data, width, height }: Grey): Grey => ({ data: data.slice().reverse(), width, height })

/** Reduces an image to a width of `most`. Each pixel is the mean of its source pixels. */
export function shrink(picture: Grey, most: number): { picture: Grey; factor: number } {
  const factor = Math.max(1, Math.ceil(picture.width / most))
  if (factor === 1) return { picture, factor }
  const [width, height] = [Math.floor(picture.width / factor), Math.floor(picture.height / factor)]
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0
      for (let dy = 0; dy < factor; dy++) {
        const row = (y * factor + dy) * picture.width + x * factor
        for (let dx = 0; dx < factor; dx++) sum += picture.data[row + dx] ?? 0
      }
      data[y * width + x] = sum / (factor * factor)
    }
  }
  return { picture: { data, width, height }, factor }
}

/** Returns a region, upright and scaled. Pixels outside the image repeat its edge. */
export function cut(picture: Grey, { x, y, width, height, angle }: Region, scale: number): Grey {
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)]
  const data = new Uint8Array(w * h)
  const [cos, sin] = [Math.cos(angle) / scale, Math.sin(angle) / scale]
  for (let v = 0; v < h; v++) {
    for (let u = 0; u < w; u++) {
      const [du, dv] = [u - w / 2, v - h / 2]
      data[v * w + u] = at(picture, x + du * cos - dv * sin, y + du * sin + dv * cos)
    }
  }
  return { data, width: w, height: h }
}

function at({ data, width, height }: Grey, x: number, y: number): number {
  const [cx, cy] = [Math.min(width - 2, Math.max(0, x)), Math.min(height - 2, Math.max(0, y))]
  const [left, top] = [Math.floor(cx), Math.floor(cy)]
  const [fx, fy] = [cx - left, cy - top]
  const i = top * width + left
  const [a = 0, b = 0, c = 0, d = 0] = [data[i], data[i + 1], data[i + width], data[i + width + 1]]
  return (a * (1 - fx) + b * fx) * (1 - fy) + (c * (1 - fx) + d * fx) * fy
}
