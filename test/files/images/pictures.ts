import sharp from 'sharp'

/** A photograph-like JPEG: red left half, blue right half, with a little noise. */
export async function photo(width: number, height: number, more: { orientation?: number } = {}): Promise<Buffer> {
  const half = await sharp({ create: { width: Math.round(width / 2), height, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer()
  const image = sharp({ create: { width, height, channels: 3, background: '#ff0000' } }).composite([
    { input: half, gravity: 'east' },
  ])
  const marked = image.withExif({ IFD0: { Copyright: 'someone', ImageDescription: 'private note' } })
  return await (more.orientation ? marked.withMetadata({ orientation: more.orientation }) : marked)
    .jpeg({ quality: 90 })
    .toBuffer()
}

/** An animation of three frames: red, green and blue. */
export async function animation(type: 'gif' | 'webp', width = 120, height = 80): Promise<Buffer> {
  const frames = await Promise.all(
    ['#ff0000', '#00ff00', '#0000ff'].map((background) =>
      sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  return await sharp(frames, { join: { animated: true } })
    [type]({ delay: [100, 100, 100] })
    .toBuffer()
}

export const transparent = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 4, background: { r: 0, g: 255, b: 0, alpha: 0 } } })
    .png()
    .toBuffer()

/** Middle pixel of an image’s left and right half, and its facts, by sharp. */
export async function look(bytes: Uint8Array) {
  const {
    width = 0,
    height = 0,
    pages = 1,
    pageHeight,
    format,
    exif,
    icc,
    hasAlpha,
    compression,
  } = await sharp(bytes, {
    animated: true,
  }).metadata()
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
  const at = (x: number) => {
    const from = (Math.floor(info.height / 2) * info.width + Math.floor(info.width * x)) * info.channels
    return [...data.subarray(from, from + 3)]
  }
  const type = format === 'heif' ? (compression === 'av1' ? 'avif' : 'heif') : format
  return {
    ...{ width, height: pageHeight ?? height, frames: pages, type, alpha: hasAlpha },
    ...{ exif, icc, left: at(0.25), right: at(0.75) },
  }
}
