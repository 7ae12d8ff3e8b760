import { open } from 'node:fs/promises'
import type { Examination, ExaminedFile } from '#tasks/files/engine.ts'
import { scanFileWithEngine } from './ask-engine.ts'
import { examineContent } from './content.ts'
import type { ContentFacts } from './content-facts.ts'
import { InfectedFileError, Inspection } from './inspection.ts'
import { headSize, sniff } from './kinds/sniff.ts'
import { openerOf } from './openers.ts'
import { fileSource, type Source } from './source.ts'
import { type Engine, type Limits, usualLimits } from './verdict.ts'

export async function examine(
  file: ExaminedFile,
  engine: Engine,
  { signal, limits, searchPath }: { signal: AbortSignal; limits?: Partial<Limits>; searchPath?: string },
): Promise<Examination> {
  const inspection = new Inspection(file, engine, signal, { ...usualLimits, ...limits }, searchPath)
  await using handle = await open(file.path)
  const { size } = await handle.stat()
  if (size !== file.size) throw new Error(`The file has ${size} bytes, but ${file.size} were expected.`)
  try {
    await examineWhole(inspection, fileSource(handle, size))
  } catch (error) {
    if (!(error instanceof InfectedFileError)) throw error
  }
  return inspection.examination()
}

/** The engine scans an archive after its contents, because it then remembers which contents are clean. */
async function examineWhole(inspection: Inspection, source: Source): Promise<void> {
  const { name, declaredType } = inspection.file
  const kind = sniff(await source.read(0, headSize))
  inspection.sniffedType = kind?.type ?? null
  const isArchive = openerOf(kind) !== undefined
  if (!isArchive) await scanFileWithEngine(inspection, source)
  const about: ContentFacts = { names: [name], declaredType, path: [], within: 'nothing', depth: 0 }
  inspection.sniffedType = await examineContent(inspection, about, source)
  await inspection.ahead.settle()
  if (isArchive) await scanFileWithEngine(inspection, source)
}
