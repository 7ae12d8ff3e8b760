import type { About } from './about.ts'
import { askOfFile } from './ask-engine.ts'
import { examineContent } from './content.ts'
import type { Inspection } from './inspection.ts'
import { headSize, sniff } from './kinds/sniff.ts'
import { openerOf } from './openers.ts'
import type { Source } from './source.ts'

/** The file itself: an archive after its contents, which the engine then need not look at again, as it remembers what it has found clean. */
export async function examineFile(inspection: Inspection, source: Source): Promise<void> {
  const { name, declaredType } = inspection.file
  const head = await source.read(0, headSize)
  const kind = sniff(head)
  inspection.sniffedType = kind?.type ?? null
  const isArchive = openerOf(kind) !== undefined
  if (!isArchive) await ask(inspection, source)
  const about: About = { names: [name], declaredType, path: [], within: 'nothing', depth: 0 }
  inspection.sniffedType = await examineContent(inspection, { ...about, size: source.size, head, source })
  await inspection.ahead.settle()
  if (isArchive) await ask(inspection, source)
}

async function ask(inspection: Inspection, source: Source): Promise<void> {
  try {
    await askOfFile(inspection, source)
  } catch (error) {
    inspection.noteRefusal(error, [])
  }
}
