import { open } from 'node:fs/promises'
import { examineFile } from './content.ts'
import { Infected, Inspection } from './inspection.ts'
import { usualLimits } from './limits.ts'
import { fileSource } from './source.ts'
import type { Engine, Examination, ExaminedFile, Limits } from './verdict.ts'

/**
 * Examines a file: the engine reads all of it and each part that a common tool would unpack, and its structure, names and
 * kinds are looked at here. Throws where that could not be done (the engine failed, a disk fault, the signal): then nothing is known.
 */
export async function examine(
  file: ExaminedFile,
  engine: Engine,
  { signal, limits }: { signal: AbortSignal; limits?: Partial<Limits> },
): Promise<Examination> {
  signal.throwIfAborted()
  await using handle = await open(file.path)
  const { size } = await handle.stat()
  if (size !== file.size) throw new Error(`The file has ${size} bytes, and ${file.size} were announced.`)
  const inspection = new Inspection(file, engine, signal, { ...usualLimits, ...limits })
  try {
    await examineFile(inspection, fileSource(handle, size))
  } catch (error) {
    if (!(error instanceof Infected)) throw error
  }
  return inspection.examination()
}
