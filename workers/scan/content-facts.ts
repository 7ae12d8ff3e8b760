import type { InnerContent, OpenedArchive } from './opened-archive.ts'

export interface ContentFacts {
  /** All names that tools use. The first name is shown. */
  names: [string, ...string[]]
  declaredType: string | null
  /** The names of its archives and its own; empty for the file itself. */
  path: string[]
  within: 'nothing' | 'archive' | 'document' | 'attachment'
  depth: number
}

export function createInnerFacts(
  outer: ContentFacts,
  holder: OpenedArchive['holder'],
  { names: own }: InnerContent,
): ContentFacts {
  const isWrapped = holder === 'wrapper'
  // Only some tools use the name inside a wrapper. Other tools remove the extension.
  const [name = '', ...others] = isWrapped ? [...own, ...outer.names.map(unwrapped)] : own
  return {
    names: [name, ...others],
    declaredType: null,
    path: [...outer.path, name],
    within: isWrapped ? outer.within : holder,
    depth: outer.depth + 1,
  }
}

const unwrapped = (name: string) =>
  name
    .replace(/\.svgz$/i, '.svg')
    .replace(/\.(?:tgz|tzst|tbz2?|txz|tlz)$/i, '.tar')
    .replace(/\.(?:gz|zst|bz2|xz|lzma|lz4?|lzo|z)$/i, '')
