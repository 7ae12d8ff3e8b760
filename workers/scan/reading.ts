import { open } from 'node:fs/promises'
import type { Reading } from '#tasks/files/scanner.ts'
import { Arriving } from './arriving.ts'
import { askEngine } from './ask-engine.ts'
import { Infected, Inspection } from './inspection.ts'
import { Marks } from './kinds/marks.ts'
import { isOfProgram } from './kinds/polyglot.ts'
import { headSize, sniff } from './kinds/sniff.ts'
import { usualLimits } from './limits.ts'
import { openerOf } from './openers.ts'
import { fileSource } from './source.ts'
import type { Engine, ExaminedFile, Limits } from './verdict.ts'
import { examineFile } from './whole.ts'

/**
 * Examines a file while it arrives: the engine reads the bytes as they are handed on, unless they are of an archive, whose
 * contents it shall have read before. What is not finished is dropped.
 */
export function read(
  file: Omit<ExaminedFile, 'path'>,
  engine: Engine,
  { signal, limits, searchPath }: { signal: AbortSignal; limits?: Partial<Limits>; searchPath?: string },
): Reading {
  const dropped = new AbortController()
  const ends = AbortSignal.any([signal, dropped.signal])
  const inspection = new Inspection({ ...file, path: '' }, engine, ends, { ...usualLimits, ...limits }, searchPath)
  const arriving = new Arriving()
  const first: Buffer[] = []
  let asked: Promise<{ error?: unknown }> | null = null

  async function begin(): Promise<void> {
    const head = Buffer.concat(first)
    const kind = sniff(head.subarray(0, headSize))
    if (openerOf(kind) !== undefined) return arriving.drop()
    inspection.marks = new Marks(isOfProgram(kind))
    inspection.marks.add(head)
    asked = askEngine(inspection, arriving, file.size, [], async () => {}).then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    await arriving.add(head)
  }

  let size = 0
  let isBegun = false
  return {
    async take(chunk) {
      ends.throwIfAborted()
      size += chunk.length
      if (isBegun) {
        inspection.marks?.add(chunk)
        return await arriving.add(chunk)
      }
      first.push(chunk)
      isBegun = size >= headSize
      if (isBegun) await begin()
    },
    async finish(path) {
      ends.throwIfAborted()
      if (!isBegun && size > 0) await begin()
      arriving.end()
      await using handle = await open(path)
      const { size: there } = await handle.stat()
      if (there !== file.size || size !== file.size)
        throw new Error(`The file has ${there} bytes, ${size} came, and ${file.size} were announced.`)
      inspection.file = { ...file, path }
      try {
        await examineFile(inspection, fileSource(handle, size), asked)
      } catch (error) {
        if (!(error instanceof Infected)) throw error
      }
      return inspection.examination()
    },
    async [Symbol.asyncDispose]() {
      dropped.abort(new Error('Nobody wants to know any more.'))
      arriving.drop()
      await asked
    },
  }
}
