import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { EngineCall, PreviewInput } from '#tasks/video/engine.ts'
import { commandOf } from './command.ts'
import type { MediaTools } from './media-tools.ts'
import { filesOnly, fileUrl, maxPixels } from './untrusted.ts'

/** Milliseconds and bytes of memory that a document may take; a page of a thousand drawings takes a second and 100 MB. */
const [timeout, memoryBytes] = [10_000, 768 * 2 ** 20]

/** The demuxer of each picture that is shown: forced, as a demuxer that is guessed may open others. */
const demuxers: Readonly<Record<Exclude<PreviewInput['type'], 'application/pdf'>, string>> = {
  'image/png': 'png_pipe',
  'image/jpeg': 'jpeg_pipe',
  'image/webp': 'webp_pipe',
  'image/gif': 'gif',
  'image/bmp': 'bmp_pipe',
}

/** Writes a JPEG of a page of a PDF, or of a picture, `size` pixels at its longer side at most; false when there is none. */
export async function makePreview(tools: MediaTools, input: PreviewInput, call: EngineCall): Promise<boolean> {
  const { output } = input
  const ok = input.type === 'application/pdf' ? await pageOf(tools, input, call) : await picture(tools, input, call)
  const { size } = await stat(output).catch(() => ({ size: 0 }))
  return ok && size > 0
}

async function pageOf(tools: MediaTools, { source, page, size, output }: PreviewInput, call: EngineCall) {
  const command = [
    ...['pdftoppm', '-q', '-f', String(page), '-l', String(page), '-singlefile'],
    ...['-scale-to', String(size), '-jpeg', '-jpegopt', 'quality=82,progressive=n'],
    ...[source, output.replace(/\.jpg$/, '')],
  ]
  const run = await tools.plain('pdftoppm', command, { call, timeout, memoryBytes })
  return run.ok
}

async function picture(tools: MediaTools, input: PreviewInput, call: EngineCall) {
  if (input.type === 'application/pdf' || input.page !== 1) return false
  const format = demuxers[input.type]
  const options = [...filesOnly(format), '-f', format, '-max_pixels', String(maxPixels)]
  const box = { w: `min(${input.size},iw)`, h: `min(${input.size},ih)`, force_original_aspect_ratio: 'decrease' }
  const command = commandOf({ source: fileUrl(input.source), options })
    .output(fileUrl(input.output))
    .frames(1)
    .videoFilters([{ filter: 'scale', options: { ...box, flags: 'bicubic' } }])
    .format('image2')
    .outputOptions('-update', '1', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1')
  // A picture of 36 megapixels takes 150 MB, and a copy for each thread of the decoder.
  const run = await tools.ffmpeg(command, {
    call,
    timeout,
    memoryBytes: memoryBytes + availableParallelism() * 2 ** 27,
  })
  return run.ok
}
