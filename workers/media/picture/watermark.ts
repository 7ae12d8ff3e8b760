import { open } from 'node:fs/promises'
import type { EngineCall, Watermark } from '#tasks/video/engine.ts'
import type { Size } from '#tasks/video/rules/transcode/ladder.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { chain, createCommand, type FilterGraph, type Input } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, getFileOptions } from '../untrusted.ts'

// Maximum number of pixels. A PNG of 875 KB can have 15000x15000 pixels, which need 986 MB of memory and 7.8 s. This
// limit rejects such a file in 0.1 s (measured).
const maxPixels = 4096 * 4096

/** Returns the demuxer for a file's first bytes. Rejects other formats, SVG and numbered patterns. */
async function demuxer(path: string): Promise<'png_pipe' | 'jpeg_pipe'> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
  const magic = buffer.toString('hex')
  if (magic === '89504e470d0a1a0a') return 'png_pipe'
  if (magic.startsWith('ffd8ff')) return 'jpeg_pipe'
  throw new MediaFault('bad_watermark', magic)
}

export async function watermarkInput(path: string): Promise<Input> {
  const format = await demuxer(path)
  const options = [...getFileOptions(format), '-f', format, '-max_pixels', String(maxPixels)]
  return { source: fileUrl(path), options }
}

export async function checkWatermark(tools: MediaTools, path: string, call: EngineCall): Promise<void> {
  const command = createCommand(await watermarkInput(path))
    .output('-')
    .frames(1)
    .format('null')
  const run = await tools.ffmpeg(command, { call, timeout: 60_000 })
  if (!run.ok || run.errors > 0) throw new MediaFault('bad_watermark', run.messages.join('\n'))
}

/** Returns filters that place input 1 over `[base]` as `[marked]`: up to 15 % of the frame, 2.5 % from its edges. */
export function overlay({ position, opacity }: Watermark, { width, height }: Size): FilterGraph {
  const box = { w: Math.max(2, Math.round(width * 0.15)), h: Math.max(2, Math.round(height * 0.15)) }
  const margin = Math.round(Math.min(width, height) * 0.025)
  const x = position.endsWith('l') ? `${margin}` : `main_w-overlay_w-${margin}`
  const y = position.startsWith('t') ? `${margin}` : `main_h-overlay_h-${margin}`
  const logo = [
    { filter: 'format', options: 'rgba' },
    { filter: 'colorchannelmixer', options: { aa: opacity } },
    { filter: 'scale', options: { ...box, force_original_aspect_ratio: 'decrease' } },
  ]
  const laid = [
    { filter: 'overlay', options: { x, y, format: 'auto' } },
    { filter: 'format', options: 'yuv420p' },
  ]
  return [...chain(logo, ['1:v'], 'logo'), ...chain(laid, ['base', 'logo'], 'marked')]
}
