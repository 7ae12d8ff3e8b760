/** Worker thread that reads a PDF417 barcode in an image. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import sharp, { type Sharp } from 'sharp'
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader'
import type { Grey } from './picture.ts'

sharp.cache(false)
sharp.concurrency(1)

// By default, the library loads this file from a CDN.
const wasm = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } })

interface Search {
  picture: Grey
  /** `fast`: as it is, and straightened. `thorough`: also blurred, sharpened and in another size. */
  effort: 'fast' | 'thorough'
  /** Timeout of all attempts in milliseconds. The attempt in progress ends later. */
  mostMs: number
}

const options: ReaderOptions = {
  formats: ['PDF417'],
  tryHarder: true,
  tryRotate: true,
  tryInvert: false,
  maxNumberOfSymbols: 1,
  textMode: 'Plain',
}

/** Rotations in degrees, the likeliest first. The decoder reads barcodes that are rotated by up to 3 degrees. */
const angles = [5, -5, 10, -10, 15, -15, 20, -20, 25, -25]

/** Width in pixels of a rotated image. It is enough for barcodes that fill half of the image. */
const width = 1_500

/** Returns the text of the barcode, or `null` if none was read. */
export async function work({ picture, effort, mostMs }: Search): Promise<string | null> {
  const end = performance.now() + mostMs
  for await (const attempt of effort === 'fast' ? fastAttempts(picture) : thoroughAttempts(picture)) {
    const text = await readText(attempt)
    if (text !== null) return text
    if (performance.now() > end) return null
  }
  return null
}

async function readText({ data, width, height }: Grey): Promise<string | null> {
  const rgba = new Uint32Array(width * height)
  for (let i = 0; i < rgba.length; i++) rgba[i] = 0xff000000 | ((data[i] ?? 0) * 0x010101)
  const image = { data: new Uint8ClampedArray(rgba.buffer), width, height, colorSpace: 'srgb' as const }
  const [found] = await readBarcodes(image, options)
  return found?.isValid ? found.text : null
}

async function* fastAttempts(picture: Grey): AsyncGenerator<Grey> {
  yield picture
  const smaller = await change(picture, (image) => image.resize({ width }).normalise())
  yield smaller
  for (const degrees of angles) yield await turn(smaller, degrees)
}

async function* thoroughAttempts(picture: Grey): AsyncGenerator<Grey> {
  const changes: ((image: Sharp) => Sharp)[] = [
    (image) => image.resize({ width: 2_200 }).normalise().sharpen({ sigma: 2 }),
    (image) => image.resize({ width: 1_000 }).normalise(),
    (image) => image.resize({ width }).median(3).normalise(),
  ]
  for (const how of changes) {
    const changed = await change(picture, how)
    yield changed
    for (const degrees of angles) yield await turn(changed, degrees)
  }
}

const turn = (picture: Grey, degrees: number): Promise<Grey> =>
  change(picture, (image) => image.rotate(degrees, { background: '#fff' }))

async function change({ data, width, height }: Grey, how: (image: Sharp) => Sharp): Promise<Grey> {
  const changed = await how(sharp(data, { raw: { width, height, channels: 1 } }))
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { info } = changed
  return { data: changed.data, width: info.width, height: info.height }
}
