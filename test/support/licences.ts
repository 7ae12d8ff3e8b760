import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import sharp from 'sharp'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'

const wasm = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } })

type Elements = Readonly<Record<string, string>>

/** Data of a made-up Californian licence, version 10 of the standard. */
export const californian: Elements = {
  DAQ: 'I1234568',
  DCS: 'ERIKSSON',
  DDE: 'N',
  DAC: 'ANNA',
  DDF: 'N',
  DAD: 'MARIA',
  DDG: 'N',
  DCA: 'C',
  DCB: 'NONE',
  DCD: 'NONE',
  DBD: '04152022',
  DBB: '08121974',
  DBA: '04152040',
  DBC: '2',
  DAU: '067 in',
  DAY: 'GRN',
  DAG: '1 MAIN STREET',
  DAI: 'SACRAMENTO',
  DAJ: 'CA',
  DAK: '958180000',
  DCF: '12/31/2022509F1/AAFD/40',
  DCG: 'USA',
}

/** Data of a made-up licence of Ontario, version 8: dates start with the year. */
export const ontarian: Elements = {
  DAQ: 'T1234-56789-01234',
  DCS: 'TREMBLAY',
  DAC: 'JEAN',
  DAD: 'LUC',
  DBB: '19740812',
  DBA: '20400415',
  DBD: '20220415',
  DBC: '1',
  DAG: '2 KING ST W',
  DAI: 'TORONTO',
  DAJ: 'ON',
  DAK: 'M5H 1A1',
  DCG: 'CAN',
}

/** Encodes elements as the standard does (AAMVA DL/ID Card Design Standard, annex D.12). */
export function encode(elements: Elements, { iin = '636014', version = '10', type = 'DL' } = {}): string {
  const data = `${type}${Object.entries(elements)
    .map(([id, value]) => `${id}${value}`)
    .join('\n')}\r`
  const head = `@\n\x1e\rANSI ${iin}${version}0001`
  const [offset, length] = [head.length + 10, data.length].map((size) => String(size).padStart(4, '0'))
  return `${head}${type}${offset}${length}${data}`
}

/** The back of a card at 25 pixels per millimetre, with a barcode of 72 millimetres. */
export async function backOf(text: string): Promise<Buffer> {
  const { image } = await writeBarcode(text, { format: 'PDF417', scale: 4 })
  const bars = await sharp(new Uint8Array((await image?.arrayBuffer()) ?? new ArrayBuffer(0)))
    .resize({ width: 1_800, height: 500, fit: 'fill', kernel: 'nearest' })
    .png()
    .toBuffer()
  // Words as bars: other tests of this process block the loader of SVG, as the product does.
  const word = await sharp({ create: { width: 130, height: 26, channels: 3, background: '#222' } })
    .png()
    .toBuffer()
  const words = Array.from({ length: 36 }, (_, i) => ({
    input: word,
    left: 170 + (i % 6) * 160,
    top: 740 + Math.floor(i / 6) * 70,
  }))
  return await sharp({ create: { width: 2_140, height: 1_350, channels: 3, background: '#eef0ea' } })
    .composite([{ input: bars, left: 170, top: 140 }, ...words])
    .png()
    .toBuffer()
}

export interface Shot {
  degrees?: number
  blur?: number
  quality?: number
  /** Width of the whole photo in pixels. */
  width?: number
  dark?: boolean
  /** How much narrower the top is than the bottom, as a share. */
  perspective?: number
}

/** A photo of a card on a table. */
export async function shotOf(card: Buffer, shot: Shot = {}): Promise<Buffer> {
  const { degrees = 0, blur = 0, quality = 85, width = 2_400, dark = false, perspective = 0 } = shot
  const background = '#5b5048'
  const around = { top: 120, bottom: 150, left: 110, right: 130, background }
  const leaning = perspective === 0 ? card : await lean(card, perspective)
  const turned = await sharp(leaning)
    .flatten({ background })
    .rotate(degrees, { background })
    .extend(around)
    .png()
    .toBuffer()
  let photo = sharp(turned).resize({ width })
  if (dark) photo = photo.linear(0.35, 20)
  if (blur > 0) photo = photo.blur(blur)
  return await photo.jpeg({ quality }).toBuffer()
}

/** Narrows each row in proportion to its distance from the bottom. */
async function lean(card: Buffer, share: number): Promise<Buffer> {
  const { data, info } = await sharp(card)
    .flatten({ background: '#5b5048' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const out = Buffer.alloc(data.length, 0x50)
  for (let y = 0; y < height; y++) {
    const part = 1 - share * (1 - y / height)
    for (let x = 0; x < width; x++) {
      const from = Math.round(width / 2 + (x - width / 2) / part)
      if (from < 0 || from >= width) continue
      const at = (y * width + from) * channels
      data.copy(out, (y * width + x) * channels, at, at + channels)
    }
  }
  return await sharp(out, { raw: { width, height, channels } }).png().toBuffer()
}

/** 40 photos of both cards: rotated, blurred, compressed, small, dark and leaning. */
export const shots: readonly Shot[] = [
  {},
  { degrees: 3 },
  { degrees: -5 },
  { degrees: 8 },
  { degrees: -12 },
  { degrees: 15 },
  { degrees: 20 },
  { degrees: 90 },
  { degrees: 180 },
  { quality: 60 },
  { degrees: 7, quality: 60 },
  { blur: 1.5 },
  { blur: 2, degrees: 5 },
  { width: 1_400 },
  { width: 1_200, degrees: 6 },
  { dark: true },
  { dark: true, degrees: 10, quality: 60 },
  { perspective: 0.1 },
  { perspective: 0.15, degrees: 6 },
  { degrees: 17, blur: 1.2, quality: 60, width: 1_800, dark: true },
]
