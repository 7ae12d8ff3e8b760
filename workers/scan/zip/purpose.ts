import type { OpenedArchive } from '../opened-archive.ts'
import type { Source } from '../source.ts'
import type { PlacedEntry } from './layout.ts'

const office: [entry: RegExp, type: string][] = [
  [/^word\/document\d*\.xml$/i, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [/^xl\/workbook\d*\.(xml|bin)$/i, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  [/^ppt\/presentation\d*\.xml$/i, 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
]

/** Matches values of `mimetype` that programs write for their own types. Types that browsers display are excluded. */
const mimetype = /^(?:application\/(?:epub\+zip|vnd\.[\w.+-]+|x-[\w.+-]+)|image\/openraster)$/
const isDocument = /opendocument|epub|sun\.xml/

/** Returns the purpose of a ZIP archive. Uses its names, ignoring case, and the `mimetype` of OpenDocument and EPUB. */
export async function purposeOf(
  source: Source,
  entries: PlacedEntry[],
): Promise<Pick<OpenedArchive, 'type' | 'holder'>> {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()))
  const type = (await mimetypeOf(source, entries[0])) ?? typeBy(names)
  const holdsParts = names.has('content.xml') && names.has('meta-inf/manifest.xml')
  const isOffice = names.has('[content_types].xml') && type !== 'application/zip'
  return { type, holder: isDocument.test(type) || holdsParts || isOffice ? 'document' : 'archive' }
}

async function mimetypeOf(source: Source, first: PlacedEntry | undefined): Promise<string | null> {
  if (first?.name !== 'mimetype' || first.method !== 0 || first.size > 128) return null
  const type = (await source.read(first.dataStart, first.dataStart + first.size)).toString('latin1').trim()
  return mimetype.test(type) ? type : null
}

function typeBy(names: Set<string>): string {
  if (names.has('[content_types].xml'))
    return office.find(([entry]) => [...names].some((name) => entry.test(name)))?.[1] ?? 'application/zip'
  if (names.has('androidmanifest.xml')) return 'application/vnd.android.package-archive'
  return names.has('meta-inf/manifest.mf') ? 'application/java-archive' : 'application/zip'
}
