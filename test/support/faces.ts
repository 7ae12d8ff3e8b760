import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'

/** Faces in the package’s sample images, each with its detector box. */
const boxes = [
  ['sample1', 414, 354, 178, 240],
  ['sample1', 838, 419, 188, 229],
  ['sample1', 1477, 200, 202, 240],
  ['sample2', 1447, 153, 194, 244],
  ['sample2', 900, 220, 153, 231],
  ['sample2', 362, 127, 152, 260],
  ['sample3', 585, 328, 199, 272],
  ['sample3', 1514, 291, 170, 281],
  ['sample3', 1075, 215, 220, 298],
  ['sample4', 664, 52, 186, 259],
  ['sample4', 256, 184, 162, 246],
  ['sample4', 988, 180, 170, 227],
  ['sample4', 1277, 140, 145, 247],
  ['sample5', 787, 109, 156, 212],
  ['sample5', 1113, 198, 158, 237],
  ['sample5', 1407, 389, 165, 274],
  ['sample5', 598, 415, 165, 249],
  ['sample5', 377, 861, 172, 299],
  ['sample6', 681, 322, 158, 306],
  ['sample6', 1180, 306, 188, 279],
  ['sample6', 1487, 263, 211, 296],
  ['sample6', 250, 468, 209, 292],
] as const

export const sample = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@vladmandic/face-api/demo/${name}.jpg`, import.meta.url))

/** People in the samples: the image, and an image of only the face. */
export const people = boxes.map(([name, x, y, width, height]) => ({
  picture: name,
  face: async (altered: (face: Sharp) => Sharp = (face) => face): Promise<Buffer> => {
    const [dx, dy] = [0.35 * width, 0.35 * height]
    const [left, top] = [Math.max(0, Math.round(x - dx)), Math.max(0, Math.round(y - dy))]
    const image = sharp(sample(name))
    const whole = await image.metadata()
    const region = {
      left,
      top,
      width: Math.min(whole.width - left, Math.round(width + 2 * dx)),
      height: Math.min(whole.height - top, Math.round(height + 2 * dy)),
    }
    const face = await image.extract(region).jpeg({ quality: 95 }).toBuffer()
    return await altered(sharp(face)).toBuffer()
  },
}))
