import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MediaEngine } from '#tasks/video/engine.ts'
import { type Trial, tryFile } from '../trial.ts'
import { mutate } from './damage.ts'

/** One mutated file and its end; the same seed makes the same file. */
export interface Fuzzed extends Trial {
  seed: number
  /** The file that was mutated. */
  of: string
}

/** What to fuzz with, and for how long. */
export interface Fuzzing {
  engine: MediaEngine
  folder: string
  seeds: ReadonlyMap<string, Buffer>
  /** Number of the first file, and how many. */
  first: number
  count: number
  /** No file is begun after so many seconds. */
  seconds: number
  /** Seconds that one file may take before it counts as a hang. */
  each: number
  atOnce: number
  tell?(one: Fuzzed): void
}

/** Runs mutated files the whole way, several at once. */
export async function fuzz(fuzzing: Fuzzing): Promise<Fuzzed[]> {
  const { engine, folder, seeds, first, count, each, tell } = fuzzing
  const names = [...seeds.keys()]
  const nameOf = (seed: number) => names[seed % names.length] as string
  const bytesOf = (seed: number) => seeds.get(nameOf(seed)) as Buffer
  const until = performance.now() + fuzzing.seconds * 1000
  const found: Fuzzed[] = []
  let next = first
  async function lane(): Promise<void> {
    while (next < first + count && performance.now() < until) {
      const seed = next++
      const own = join(folder, String(seed))
      await mkdir(own)
      const source = join(own, 'upload')
      await writeFile(source, mutate(bytesOf(seed), bytesOf(seed * 7 + 3), seed))
      const one = {
        seed,
        of: nameOf(seed),
        ...(await tryFile(engine, { source, folder: own, seconds: each, own: folder })),
      }
      found.push(one)
      tell?.(one)
      await rm(own, { recursive: true })
    }
  }
  await Promise.all(Array.from({ length: fuzzing.atOnce }, lane))
  return found.toSorted((a, b) => a.seed - b.seed)
}

/** A pipe that nobody writes to: a tool that opens it to read hangs, and is found out. */
export async function trap(path: string): Promise<{ sprung(): boolean }> {
  await promisify(execFile)('mkfifo', [path])
  return {
    sprung() {
      try {
        // open(2): ENXIO when nobody has it open for reading.
        closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
        return true
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'ENXIO'
      }
    },
  }
}

/** Files of many kinds that ask a reader for the file at `path`. */
export function lures(path: string): Map<string, Buffer> {
  const list = (uri: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${uri}\n#EXT-X-ENDLIST\n`
  const texts: Record<string, string> = {
    'playlist of a URL': list(`file://${path}`),
    'playlist of a path': list(path),
    'playlist of a key': list('x.ts').replace('#EXTINF', `#EXT-X-KEY:METHOD=AES-128,URI="${path}"\n#EXTINF`),
    'playlist of a map': list('x.ts').replace('#EXTINF', `#EXT-X-MAP:URI="${path}"\n#EXTINF`),
    'playlist within a prefix': list(`concat:${path}|${path}`),
    'list of files': `ffconcat version 1.0\nfile ${path}\n`,
    SVG: `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file://${path}"/></svg>`,
    DASH: `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>file://${path}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    'session description': `v=0\na=control:file://${path}\nm=video 0 RTP/AVP 96\n`,
    'VobSub index': `# VobSub index file, v7 (do not modify this line!)\nid: en, index: 0\nfile: ${path}\n`,
    'AviSynth script': `FFVideoSource("${path}")\n`,
    'QuickTime reference': `RTSPtext\r\nrtsp://127.0.0.1:1/${path}\r\n`,
  }
  return new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
}
