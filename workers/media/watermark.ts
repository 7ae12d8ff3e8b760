import { open } from 'node:fs/promises'
import type { EngineCall, Watermark } from '#tasks/video/transcode/engine.ts'
import type { Size } from '#tasks/video/transcode/ladder.ts'
import { MediaFault } from '#tasks/video/transcode/media-fault.ts'
import type { MediaTools } from './media-tools.ts'
import { fileUrl } from './untrusted.ts'

// 875 KB of PNG can be 15000x15000: 986 MB of memory and 7.8 s; refused at this limit in 0.1 s (measured).
const maxPixels = 4096 * 4096

/** The demuxer for a file's first bytes; any other, SVG or a numbered pattern, is refused. */
async function demuxer(path: string): Promise<'png_pipe' | 'jpeg_pipe'> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
  const magic = buffer.toString('hex')
  if (magic === '89504e470d0a1a0a') return 'png_pipe'
  if (magic.startsWith('ffd8ff')) return 'jpeg_pipe'
  throw new MediaFault('bad_watermark', magic)
}

/** The input arguments of a watermark. */
export async function watermarkInput(path: string): Promise<string[]> {
  return [
    '-protocol_whitelist',
    'file',
    '-f',
    await demuxer(path),
    '-max_pixels',
    String(maxPixels),
    '-i',
    fileUrl(path),
  ]
}

/** Throws a `MediaFault` when a watermark cannot be decoded on its own. */
export async function checkWatermark(tools: MediaTools, path: string, call: EngineCall): Promise<void> {
  const args = [...(await watermarkInput(path)), '-frames:v', '1', '-f', 'null', '-']
  const run = await tools.run({ tool: 'ffmpeg', args, call, timeout: 60_000 })
  if (!run.ok || run.errors > 0) throw new MediaFault('bad_watermark', run.messages.join('\n'))
}

/** The filter graph that lays input 1 over `[base]` as `[marked]`: at most 15 % of the picture, 2.5 % from its edges. */
export function overlay({ position, opacity }: Watermark, { width, height }: Size): string {
  const box = `w=${Math.max(2, Math.round(width * 0.15))}:h=${Math.max(2, Math.round(height * 0.15))}`
  const margin = Math.round(Math.min(width, height) * 0.025)
  const x = position.endsWith('l') ? `${margin}` : `main_w-overlay_w-${margin}`
  const y = position.startsWith('t') ? `${margin}` : `main_h-overlay_h-${margin}`
  const logo = `[1:v]format=rgba,colorchannelmixer=aa=${opacity},scale=${box}:force_original_aspect_ratio=decrease[logo]`
  return `${logo};[base][logo]overlay=x=${x}:y=${y}:format=auto,format=yuv420p[marked]`
}
