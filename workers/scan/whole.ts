import type { About } from './about.ts'
import { askEngine } from './ask-engine.ts'
import { examineContent } from './content.ts'
import type { Inspection } from './inspection.ts'
import { headSize, sniff } from './kinds/sniff.ts'
import { openerOf } from './openers.ts'
import { chunksOf, type Source } from './source.ts'

/**
 * The file itself. What the engine said of it as it came is `asked`; else it reads it where it lies, an archive after its
 * contents, which it then need not look at again: it remembers what it has found clean.
 */
export async function examineFile(
  inspection: Inspection,
  source: Source,
  asked: Promise<{ error?: unknown }> | null,
): Promise<void> {
  const { name, declaredType } = inspection.file
  const head = await source.read(0, headSize)
  const kind = sniff(head)
  inspection.sniffedType = kind?.type ?? null
  const askNow = async () => {
    try {
      if (asked === null) await askWhole(inspection, source)
      else throwOf(await asked)
    } catch (error) {
      inspection.noteRefusal(error, [])
    }
  }
  const isArchive = openerOf(kind) !== undefined
  if (!isArchive) await askNow()
  const about: About = { names: [name], declaredType, path: [], within: 'nothing', depth: 0 }
  inspection.sniffedType = await examineContent(inspection, { ...about, size: source.size, head, source })
  await inspection.ahead.settle()
  if (isArchive) await askNow()
}

const askWhole = (inspection: Inspection, source: Source) =>
  askEngine(inspection, chunksOf(source), source.size, [], async () => inspection.signal.throwIfAborted())

function throwOf(said: { error?: unknown }): void {
  if ('error' in said) throw said.error
}
