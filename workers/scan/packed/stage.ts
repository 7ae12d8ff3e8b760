import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Inspection } from '../inspection.ts'
import { chunksOf, type Source } from '../source.ts'

/** A file on the disk that a program can be given. */
export interface Staged extends AsyncDisposable {
  path: string
}

/** Puts a content on the disk, unless it is the examined file itself, at the end of no path, which lies there. */
export async function stage(inspection: Inspection, source: Source, path: string[]): Promise<Staged> {
  if (path.length === 0) return { path: inspection.file.path, async [Symbol.asyncDispose]() {} }
  return await stageChunks(inspection, chunksOf(source))
}

/** Puts bytes on the disk. */
export async function stageChunks(inspection: Inspection, chunks: AsyncIterable<Buffer>): Promise<Staged> {
  const copy = `${inspection.file.path}.${randomUUID()}.scratch`
  let held = 0
  const remove = async () => {
    inspection.held.scratch -= held
    await rm(copy, { force: true })
  }
  try {
    await using file = await open(copy, 'wx', 0o600)
    for await (const chunk of chunks) {
      inspection.signal.throwIfAborted()
      held += chunk.length
      inspection.holdScratch(chunk.length)
      await file.writeFile(chunk)
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { path: copy, [Symbol.asyncDispose]: remove }
}
