import sharp from 'sharp'
import { people } from './faces.ts'
import { pageOf } from './specimen.ts'

export type Pose = 'centre' | 'left' | 'right'

/**
 * Moves the nose of a face sideways, so that the face seems to be turned. `shift` is in shares of half the face:
 * positive is to the right of the image, the person's left.
 */
async function turned(image: Buffer, shift: number): Promise<Buffer> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const out = Buffer.alloc(data.length)
  const [middle, half] = [width / 2, (width / 1.7 / 2) * 1.05]
  for (let x = 0; x < width; x++) {
    const at = (x - middle) / half
    const from = Math.abs(at) >= 1 ? at : at < shift ? (at + 1) / (shift + 1) - 1 : (at - shift) / (1 - shift)
    const source = Math.max(0, Math.min(width - 1, Math.round(middle + from * half)))
    for (let y = 0; y < height; y++)
      data.copy(out, (y * width + x) * 3, (y * width + source) * 3, (y * width + source) * 3 + 3)
  }
  return await sharp(out, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer()
}

/** People of the samples whose heads are turned to their right, and can be straightened. */
export const [ann, ben] = [3, 18]

const plain = (index: number): Promise<Buffer> => people[index]?.face() as Promise<Buffer>

const makers: Record<Pose, (index: number) => Promise<Buffer>> = {
  right: plain,
  left: async (index) =>
    await sharp(await plain(index))
      .flop()
      .jpeg()
      .toBuffer(),
  centre: async (index) => await turned(await plain(index), 0.35),
}

/** A frame of a person in a pose, as a camera sees it: not mirrored. */
export const frameOf = async (index: number, pose: Pose): Promise<Buffer> => await makers[pose](index)

/** A document with the photo of a person. */
export async function documentOf(index: number, lines: readonly string[] = []): Promise<Buffer> {
  const photo = await sharp(await plain(index))
    .resize(330, 430)
    .grayscale()
    .toColourspace('srgb')
    .toBuffer()
  const page = sharp(await pageOf(lines)).composite([{ input: photo, left: 60, top: 130 }])
  return await page.jpeg({ quality: 88 }).toBuffer()
}
