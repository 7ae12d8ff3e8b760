import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { forEachConcurrently } from '#lib/concurrency.ts'
import type { Storage } from '#lib/storage/storage.ts'

const [atOnce, aside] = [4, 16]

export async function fetchTrack(
  files: readonly string[],
  { prefix, folder, output }: { prefix: string; folder: string; output: string },
  storage: Storage,
  signal: AbortSignal,
): Promise<void> {
  const local = (file: string) => join(folder, `part-${file}`)
  const fetch = (file: string, signal: AbortSignal) => storage.download(`${prefix}${file}`, local(file), signal)
  await rm(output, { force: true })
  for (let from = 0; from < files.length; from += aside) {
    const some = files.slice(from, from + aside)
    await forEachConcurrently(some, atOnce, fetch, signal)
    for (const file of some) {
      await pipeline(createReadStream(local(file)), createWriteStream(output, { flags: 'a' }), { signal })
      await rm(local(file))
    }
  }
}
