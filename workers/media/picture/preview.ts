import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { EngineCall, PreviewInput } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { createCommand } from '../command.ts'
import type { MediaTools, RunResult } from '../media-tools.ts'
import { fileUrl, getFileOptions, maxPixels } from '../untrusted.ts'

/**
 * Timeout in milliseconds and maximum memory in bytes, per document. A page with a thousand drawings needs a second and
 * 100 MB.
 */
const [timeout, memoryBytes] = [10_000, 768 * 2 ** 20]

/** Demuxer per image type. The demuxer is fixed, because a guessed demuxer could open other files. */
const demuxers: Readonly<Record<Exclude<PreviewInput['type'], 'application/pdf'>, string>> = {
  'image/png': 'png_pipe',
  'image/jpeg': 'jpeg_pipe',
  'image/webp': 'webp_pipe',
  'image/gif': 'gif',
  'image/bmp': 'bmp_pipe',
}

/**
 * Exit code of pdftoppm for a page after the last one. Exit code 1 means that pdftoppm cannot open the file, or only
 * with a password.
 */
const beyondLast = 99

/**
 * Writes a JPEG of a PDF page or of an image, with up to `size` pixels at its longer side. Returns false if the page
 * does not exist. Throws a `MediaFault` for damaged or encrypted files.
 */
export async function makePreview(tools: MediaTools, input: PreviewInput, call: EngineCall): Promise<boolean> {
  const { type, page, output } = input
  if (type !== 'application/pdf' && page !== 1) return false
  const run = type === 'application/pdf' ? await pageOf(tools, input, call) : await picture(tools, input, type, call)
  if (type === 'application/pdf' && run.code === beyondLast) return false
  const { size } = await stat(output).catch(() => ({ size: 0 }))
  if (!run.ok || size === 0) throw new MediaFault('corrupt', run.messages.join('\n'))
  return true
}

function pageOf(tools: MediaTools, { source, page, size, output }: PreviewInput, call: EngineCall): Promise<RunResult> {
  const command = [
    ...['pdftoppm', '-q', '-f', String(page), '-l', String(page), '-singlefile'],
    ...['-scale-to', String(size), '-jpeg', '-jpegopt', 'quality=82,progressive=n'],
    ...[source, output.replace(/\.jpg$/, '')],
  ]
  return tools.plain('pdftoppm', command, { call, timeout, memoryBytes })
}

function picture(
  tools: MediaTools,
  input: PreviewInput,
  type: keyof typeof demuxers,
  call: EngineCall,
): Promise<RunResult> {
  const format = demuxers[type]
  const options = [...getFileOptions(format), '-f', format, '-max_pixels', String(maxPixels)]
  const box = { w: `min(${input.size},iw)`, h: `min(${input.size},ih)`, force_original_aspect_ratio: 'decrease' }
  const command = createCommand({ source: fileUrl(input.source), options })
    .output(fileUrl(input.output))
    .frames(1)
    .videoFilters([{ filter: 'scale', options: { ...box, flags: 'bicubic' } }])
    .format('image2')
    .outputOptions('-update', '1', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1')
  // An image of 36 megapixels needs 150 MB, plus one copy per decoder thread.
  return tools.ffmpeg(command, {
    call,
    timeout,
    memoryBytes: memoryBytes + availableParallelism() * 2 ** 27,
  })
}
