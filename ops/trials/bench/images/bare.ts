/** Transforms a file with sharp only, the requested number of times. */
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { sendResult } from '../child.ts'

/** Durations in milliseconds, and mean CPU time in milliseconds. */
export interface BareResult {
  took: number[]
  cpuMs: number
}

export interface BareSettings {
  path: string
  width: number
  format: 'avif' | 'webp' | 'jpeg'
  qualities: number[]
}

const { path, width, format, qualities } = JSON.parse(process.argv[2] ?? '{}') as BareSettings
const took: number[] = []
sharp.cache(false)

async function transform(quality: number): Promise<void> {
  const image = sharp(await readFile(path))
    .autoOrient()
    .resize({ width })
  await (format === 'avif' ? image.avif({ quality, effort: 2 }) : image[format]({ quality })).toBuffer()
}

// The first run loads the library.
await transform(50)
const before = process.cpuUsage()
for (const quality of qualities) {
  const begun = performance.now()
  await transform(quality)
  took.push(performance.now() - begun)
}
const { user, system } = process.cpuUsage(before)
sendResult({ took, cpuMs: (user + system) / 1_000 / qualities.length } satisfies BareResult)
