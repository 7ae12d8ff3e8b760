import { open } from 'node:fs/promises'
import type { Reading } from '#tasks/files/scanner.ts'
import { Infected, Inspection } from './inspection.ts'
import { Marks } from './kinds/marks.ts'
import { isOfProgram } from './kinds/polyglot.ts'
import { headSize, sniff } from './kinds/sniff.ts'
import { usualLimits } from './limits.ts'
import { openerOf } from './openers.ts'
import { fileSource } from './source.ts'
import type { Engine, ExaminedFile, Limits } from './verdict.ts'
import { examineFile } from './whole.ts'

/** Examines a file of which some is looked at while it arrives, and all when it has come. */
export function read(
  file: Omit<ExaminedFile, 'path'>,
  engine: Engine,
  { signal, limits, searchPath }: { signal: AbortSignal; limits?: Partial<Limits>; searchPath?: string },
): Reading {
  const inspection = new Inspection({ ...file, path: '' }, engine, signal, { ...usualLimits, ...limits }, searchPath)
  const first: Buffer[] = []
  let size = 0
  let isBegun = false

  /** Marks are looked for in what is not unpacked anyway. */
  function begin(): void {
    isBegun = true
    const head = Buffer.concat(first.splice(0))
    const kind = sniff(head.subarray(0, headSize))
    if (openerOf(kind) !== undefined) return
    inspection.marks = new Marks(isOfProgram(kind))
    inspection.marks.add(head)
  }

  return {
    take(chunk) {
      size += chunk.length
      if (isBegun) return inspection.marks?.add(chunk)
      first.push(chunk)
      if (size >= headSize) begin()
    },
    async finish(path) {
      if (!isBegun) begin()
      await using handle = await open(path)
      const { size: there } = await handle.stat()
      if (there !== file.size || size !== file.size)
        throw new Error(`The file has ${there} bytes, ${size} came, and ${file.size} were announced.`)
      inspection.file = { ...file, path }
      try {
        await examineFile(inspection, fileSource(handle, size))
      } catch (error) {
        if (!(error instanceof Infected)) throw error
      }
      return inspection.examination()
    },
  }
}
