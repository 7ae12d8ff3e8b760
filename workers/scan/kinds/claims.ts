import type { Family, Kind } from './kind.ts'

/** Declared kind of a file: viewed or played without running code, a document, or any other kind. */
type Claim = 'picture' | 'drawing' | 'media' | 'pdf' | 'office' | 'text' | 'archive' | 'page' | 'xml' | 'nothing'

const saying: [Claim, type: RegExp, ending: RegExp][] = [
  ['drawing', /^image\/svg/, /\.svgz?$/i],
  ['nothing', /^image\/openraster/, /\.ora$/i],
  ['picture', /^image\//, /\.(jpe?g|png|gif|webp|bmp|tiff?|ico|heic|avif|psd)$/i],
  ['media', /^(audio|video|font)\//, /\.(mp3|wav|flac|ogg|m4a|mp4|m4v|mov|webm|mkv|avi|ttf|otf|woff2?)$/i],
  ['pdf', /^application\/pdf/, /\.pdf$/i],
  ['page', /^text\/html|xhtml/, /\.(html?|xht(?:ml?)?|shtml?|mht(?:ml)?)$/i],
  ['office', /msword|ms-excel|ms-powerpoint|officedocument|opendocument|rtf/, /\.(docx?|xlsx?|pptx?|od[tspg]|rtf)$/i],
  ['xml', /[/+]xml$/, /\.(xml|xslt?|xspf)$/i],
  ['text', /^text\//, /\.(txt|csv|md|log|json)$/i],
  ['archive', /zip|tar|rar|7z/, /\.(zip|rar|7z|tar|tgz|gz)$/i],
]

const runs: Family[] = ['program', 'library', 'script', 'shortcut', 'disk-image']
const holds: Family[] = ['archive', 'container', 'sealed', 'ole']

/** Kinds that are not plausible as an honest mistake for the declared kind. */
const contradictions: Record<Claim, Family[]> = {
  picture: [...runs, ...holds, 'html', 'svg', 'pdf'],
  drawing: [...runs, 'container', 'sealed', 'ole', 'html', 'pdf'],
  media: [...runs, ...holds, 'html', 'svg', 'pdf'],
  pdf: [...runs, ...holds, 'html', 'svg'],
  office: runs,
  archive: [...runs.filter((family) => family !== 'disk-image'), 'html', 'svg'],
  text: runs.filter((family) => family !== 'script'),
  page: runs,
  xml: runs,
  nothing: [],
}

const byEnding = (name: string) => saying.find(([, , ending]) => ending.test(name))?.[0] ?? 'nothing'
const byType = (type: string) => saying.find(([, pattern]) => pattern.test(type))?.[0] ?? 'nothing'

/**
 * True if a file is declared as a page or drawing, or as XML that can be a page or drawing. A browser would run its
 * scripts, regardless of the first bytes.
 */
export function isDeclaredAs(name: string, declaredType: string | null): 'markup' | 'xml' | null {
  const claims = [byEnding(name), byType(declaredType?.toLowerCase() ?? '')]
  if (claims.includes('page') || claims.includes('drawing')) return 'markup'
  return claims.includes('xml') ? 'xml' : null
}

/** Returns a message if the content is dangerously different from its name or declared type, or `null`. */
export function findMismatch(kind: Kind, name: string, declaredType: string | null): string | null {
  const type = declaredType?.toLowerCase() ?? ''
  if (contradictions[byType(type)].includes(kind.family)) return `The file is declared as ${type}, but is ${kind.type}.`
  if (contradictions[byEnding(name)].includes(kind.family))
    return `The file name shows a different type, but the file is ${kind.type}.`
  return null
}
