import type { Inner, OpenedArchive } from './opened-archive.ts'

/** What is known of a content before its bytes: of the file itself, or of one inside it. */
export interface ContentFacts {
  /** All that one tool or another calls it; the first is the one to be told. */
  names: [string, ...string[]]
  declaredType: string | null
  /** The names of the archives it is in and its own; empty for the file itself. */
  path: string[]
  within: 'nothing' | 'archive' | 'document' | 'attachment'
  depth: number
}

/** What is known of a content by the archive that it stands in. */
export function innerFacts(outer: ContentFacts, holder: OpenedArchive['holder'], { names: own }: Inner): ContentFacts {
  const isWrapped = holder === 'wrapper'
  // What a wrapper names inside is taken by some tools alone: others take the ending away.
  const [name = '', ...others] = isWrapped ? [...own, ...outer.names.map(unwrapped)] : own
  return {
    names: [name, ...others],
    declaredType: null,
    path: [...outer.path, name],
    within: isWrapped ? outer.within : holder,
    depth: outer.depth + 1,
  }
}

/** What a program that unpacks one file calls it. */
const unwrapped = (name: string) =>
  name
    .replace(/\.svgz$/i, '.svg')
    .replace(/\.(?:tgz|tzst|tbz2?|txz|tlz)$/i, '.tar')
    .replace(/\.(?:gz|zst|bz2|xz|lzma|lz4?|lzo|z)$/i, '')
