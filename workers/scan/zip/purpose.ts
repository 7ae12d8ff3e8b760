import type { Opened } from '../opened.ts'
import type { Source } from '../source.ts'
import type { PlacedEntry } from './layout.ts'

const office: [entry: RegExp, type: string][] = [
  [/^word\/document\d*\.xml$/i, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [/^xl\/workbook\d*\.(xml|bin)$/i, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  [/^ppt\/presentation\d*\.xml$/i, 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
]

const isDocument = /opendocument|epub|sun\.xml/

/** What a ZIP archive is for, by the names in it and by the `mimetype` that OpenDocument and EPUB begin with. */
export async function purposeOf(source: Source, entries: PlacedEntry[]): Promise<Pick<Opened, 'type' | 'holder'>> {
  const names = new Set(entries.map(({ name }) => name))
  const first = entries[0]
  if (first?.name === 'mimetype' && first.method === 0 && first.size <= 128) {
    const type = (await source.read(first.dataStart, first.dataStart + first.size)).toString('latin1').trim()
    if (/^[\w.+-]+\/[\w.+-]+$/.test(type)) return { type, holder: isDocument.test(type) ? 'document' : 'archive' }
  }
  if (names.has('[Content_Types].xml')) {
    const found = office.find(([entry]) => entries.some(({ name }) => entry.test(name)))
    return { type: found?.[1] ?? 'application/zip', holder: found ? 'document' : 'archive' }
  }
  if (names.has('AndroidManifest.xml')) return { type: 'application/vnd.android.package-archive', holder: 'archive' }
  if (names.has('META-INF/MANIFEST.MF')) return { type: 'application/java-archive', holder: 'archive' }
  return { type: 'application/zip', holder: 'archive' }
}
