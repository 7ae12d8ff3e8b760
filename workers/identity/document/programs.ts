import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { fileUrl, getFileOptions } from '../../media/untrusted.ts'
import type { Exit } from '../../sandbox/process-group.ts'
import { findSandboxFault, isInstalled } from '../../sandbox/programs.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { type Grey, pgmOf, readPgm } from './picture.ts'
import { type Glyph, readGlyph } from './transcript.ts'

export const engineName = 'tesseract'

/**
 * Maximum memory per run, and maximum size of an output file, in bytes. The largest file is an image with the longest
 * side, squared.
 */
const limits = { memoryBytes: 512 * 2 ** 20, fileBytes: 16 * 2 ** 20 }

/** Maximum number of pixels. Interlaced images are decoded in memory as a whole. */
const maxPixels = 40_000_000

/**
 * Maximum length in pixels of the longer side of a decoded image. On a document that fills the image, a character is 40
 * pixels wide.
 */
const longestSide = 2_400

const decodeMs = 20_000

const sandbox = createSandbox({ ...limits, nice: 0 })

/** Returns the reason why this machine cannot read documents, or `undefined` if it can. */
export async function findMissingReader(): Promise<string | undefined> {
  const walls = await findSandboxFault()
  if (walls) return walls
  for (const [program, from] of [
    [config.FFMPEG_PATH, 'ffmpeg'],
    [config.TESSERACT_PATH, 'tesseract-ocr'],
  ] as const) {
    if (!(await isInstalled(program))) return `${program} is not installed; install ${from}`
  }
  return undefined
}

/** ffmpeg demuxers by content type. Each demuxer reads only single images. */
const demuxers: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg_pipe',
  'image/png': 'png_pipe',
  'image/webp': 'webp_pipe',
}

export const isReadableType = (type: string | null): type is string => type !== null && type in demuxers

type Decoded = Grey | 'too_many_pixels' | 'unreadable_picture'

/** Decodes an untrusted image in a folder and reduces it to the size that is needed for reading. */
export async function decode(folder: string, type: string, signal: AbortSignal): Promise<Decoded> {
  const [from, to] = [join(folder, 'picture'), join(folder, 'grey.pgm')]
  const demuxer = demuxers[type] ?? ''
  const fit = `scale='min(${longestSide},iw)':'min(${longestSide},ih)':force_original_aspect_ratio=decrease:flags=area`
  const input = [...getFileOptions(demuxer), '-f', demuxer, '-max_pixels', String(maxPixels), '-i', fileUrl(from)]
  const output = [
    '-frames:v',
    '1',
    '-vf',
    `${fit},format=gray`,
    '-c:v',
    'pgm',
    '-f',
    'image2',
    '-update',
    '1',
    fileUrl(to),
  ]
  const said: string[] = []
  const command = [config.FFMPEG_PATH, '-nostdin', '-v', 'error', '-threads', '1', ...input, ...output]
  await run('ffmpeg', command, decodeMs, signal, (line) => said.length < 50 && said.push(line))
  const bytes = await readFile(to).catch(() => null)
  const picture = bytes && readPgm(bytes)
  if (picture) return picture
  // linear: both are fixed texts
  return said.some((line) => line.includes('max pixel count') || line.includes('Picture size'))
    ? 'too_many_pixels'
    : 'unreadable_picture'
}

/** Maximum number of characters to read. Three lines have 132. */
const mostGlyphs = 600

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'

/**
 * Recognises the characters of an image that contains only lines of the zone. Returns `null` if recognition takes
 * longer than `mostMs`, for example because strokes are dense.
 */
export async function recognise(
  folder: string,
  picture: Grey,
  mostMs: number,
  signal: AbortSignal,
): Promise<Glyph[] | null> {
  const path = join(folder, 'lines.pgm')
  await writeFile(path, pgmOf(picture))
  // Reads one block of lines and prints character boxes to standard output. Uses no dictionary, because the zone
  // contains no dictionary words.
  const settings = {
    tessedit_create_boxfile: 1,
    load_system_dawg: 0,
    load_freq_dawg: 0,
    tessedit_char_whitelist: alphabet,
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Uses one thread. The program's threads wait for each other in busy loops, so two threads take ten times as long on
  // a busy machine.
  const command = [
    'env',
    'OMP_THREAD_LIMIT=1',
    config.TESSERACT_PATH,
    path,
    '-',
    '--dpi',
    '300',
    '--psm',
    '6',
    '-l',
    'eng',
    ...options,
  ]
  const glyphs: Glyph[] = []
  let said = ''
  const exit = await run(engineName, command, mostMs, signal, (line, pipe) => {
    if (pipe !== 1) said = line
    const glyph = pipe === 1 && glyphs.length < mostGlyphs ? readGlyph(line) : null
    if (glyph) glyphs.push(glyph)
  }).catch((error) => {
    if (error instanceof TransientEngineError && error.code === 'timeout') return null
    throw error
  })
  if (!exit) return null
  const { code } = exit
  // Millrace created the input image, so the person did not cause a failure, such as a missing language.
  if (code !== 0) throw new TransientEngineError('failed', `${engineName} exited with ${code}: ${said.slice(0, 200)}`)
  return glyphs
}

/**
 * Runs a program. If it cannot process an image, there is no output. Throws `TransientEngineError` if the program
 * cannot run.
 */
async function run(
  name: string,
  command: string[],
  timeout: number,
  signal: AbortSignal,
  onLine: (line: string, pipe: 1 | 2 | 3) => void,
): Promise<Exit> {
  const exit = await sandbox.run({
    name,
    command,
    timeout,
    signal,
    called: name,
    onLine: (pipe, line) => onLine(line, pipe),
  })
  if (exit.code === 126 || exit.code === 127) throw new TransientEngineError('missing', `${name} could not be started.`)
  if (exit.signal !== null || exit.code === 137 || exit.code === 143)
    throw new TransientEngineError('killed', `${name} was killed${exit.signal ? ` by ${exit.signal}` : ''}.`)
  return exit
}
