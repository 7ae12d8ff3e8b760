import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from '../ffmpeg.ts'
import { film, numbered } from '../sources.ts'
import { type Case, small } from './case.ts'
import { boxAt, repeatTrack } from './damage.ts'

const noise = `${numbered('30', 6)},noise=alls=20:allf=t`
const cuts = 20

/** A film that ends after so many twentieths and a bit, its index in front. */
function truncated(number: number): Case {
  return {
    ...small,
    name: `truncated at ${number} of ${cuts}`,
    file: `cut-${number}.mp4`,
    // The last half second alone is no reason to refuse.
    ends: number < cuts - 1 ? ['truncated'] : ['truncated', 'ready'],
    async make(path) {
      await film(path, noise, { more: ['-movflags', '+faststart'] })
      const { length } = await readFile(path)
      await truncate(path, Math.round((length * (number - 0.5)) / cuts))
    },
  }
}

/** A still of 16x16, as MOV with a codec, and what its size is said to be instead. */
function bomb(name: string, file: string, codec: string[], patch: (bytes: Buffer) => void): Case {
  return {
    ...small,
    name,
    file,
    // Where the codec's own head alone tells of its size, that is found when it is decoded.
    ends: ['too_large', 'corrupt'],
    async make(path) {
      await film(path, 'color=black:s=16x16:r=1:d=1', { sound: null, codec })
      const bytes = await readFile(path)
      patch(bytes)
      await writeFile(path, bytes)
    },
  }
}

const sample = (bytes: Buffer, letters: string) => bytes.writeUInt32BE(0x40004000, boxAt(bytes, letters) + 32)

/** Files that are broken, or promise what nobody can hold. */
export const damaged: readonly Case[] = [
  ...Array.from({ length: cuts }, (_, i) => truncated(i + 1)),
  { ...small, name: 'no bytes', file: 'empty.mp4', ends: ['empty'], make: (path) => writeFile(path, '') },
  {
    ...small,
    name: 'a mebibyte of zeroes',
    file: 'zeroes.mp4',
    ends: ['not_media'],
    make: (path) => writeFile(path, Buffer.alloc(2 ** 20)),
  },
  bomb('16384x16384 JPEG in MOV', 'jpeg.mov', ['-c:v', 'mjpeg'], (bytes) => {
    bytes.writeUInt32BE(0x40004000, bytes.indexOf(Buffer.from('ffc0001108', 'hex')) + 5)
    sample(bytes, 'jpeg')
  }),
  bomb('16384x16384 PNG in MOV', 'png.mov', ['-c:v', 'png'], (bytes) => {
    const header = bytes.indexOf('IHDR') + 4
    bytes.writeUInt32BE(16_384, header)
    bytes.writeUInt32BE(16_384, header + 4)
    sample(bytes, 'png ')
  }),
  bomb('16383x16383 VP8 in WebM', 'vp8.webm', ['-c:v', 'libvpx'], (bytes) => {
    // RFC 6386 §9.1: start code, then 14 bits of width and of height.
    bytes.writeUInt32LE(0x3fff3fff, bytes.indexOf(Buffer.from('9d012a', 'hex')) + 3)
    // Matroska's PixelWidth and PixelHeight, one byte long as 16 is; 255 is the most that fits.
    for (const id of ['b08110', 'ba8110']) bytes[bytes.indexOf(Buffer.from(id, 'hex')) + 2] = 255
  }),
  {
    ...small,
    name: '10,000 streams in MP4',
    file: 'tracks.mp4',
    ends: ['too_many_tracks'],
    async make(path) {
      await film(path, 'color=black:s=16x16:r=25:d=1', { sound: null })
      await writeFile(path, repeatTrack(await readFile(path), 10_000))
    },
  },
  {
    ...small,
    name: '900 streams in MP4',
    file: 'many.mp4',
    ends: ['too_many_tracks'],
    async make(path) {
      await film(path, 'color=black:s=16x16:r=25:d=1', { sound: null })
      await writeFile(path, repeatTrack(await readFile(path), 900))
    },
  },
  {
    ...small,
    name: 'pictures that are all noise',
    file: 'noise.mp4',
    ends: ['corrupt'],
    async make(path) {
      await film(path, noise, { sound: null, more: ['-movflags', '+faststart'] })
      const bytes = await readFile(path)
      await writeFile(path, bytes.fill(0, bytes.indexOf('mdat') + 4))
    },
  },
  {
    ...small,
    name: 'a stray reference to another file',
    file: 'reference.mov',
    ends: ['ready', 'corrupt'],
    async make(path, folder) {
      await film(path, 'color=red:s=64x64:r=25:d=1', { sound: null })
      const bytes = await readFile(path)
      // A data reference (ISO/IEC 14496-12 §8.7.2) whose flag says "in this file" is made to point elsewhere.
      const url = boxAt(bytes, 'url ')
      bytes.writeUInt32BE(0, url + 8)
      await writeFile(path, bytes)
      await ffmpeg('-f', 'lavfi', '-i', 'color=red', '-frames:v', '1', join(folder, 'elsewhere.png'))
    },
  },
]
