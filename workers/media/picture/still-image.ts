import { open } from 'node:fs/promises'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'

const animatedWebp =
  'Animated WebP images cannot be converted. Export the animation as GIF, APNG or MP4, then upload it again.'
const still = 'The file is a still image. Upload a video, an animated GIF or APNG, or an audio file.'

function sentenceFor(head: Buffer): string | null {
  const text = head.toString('latin1')
  const isWebp = text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP'
  // Checks the flags of an extended WebP file (RFC 9649, 2.7.1).
  if (isWebp) return text.slice(12, 16) === 'VP8X' && ((head[20] ?? 0) & 0x02) !== 0 ? animatedWebp : still
  const isImage =
    /^(\x89PNG|\xff\xd8\xff|BM.{4}\0{4}|II\*\0|MM\0\*)/s.test(text) || /^.{4}ftyp(heic|heix|avif|mif1)/s.test(text)
  return isImage ? still : null
}

/** If a file that ffprobe rejects is an image, throws a `MediaFault` with the reason. */
export async function rejectStillImage(path: string): Promise<void> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0)
  const sentence = sentenceFor(buffer.subarray(0, bytesRead))
  if (sentence) throw new MediaFault('not_media', sentence, sentence)
}
