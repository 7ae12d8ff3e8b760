import type { Family, Kind } from './kind.ts'

/** What a file is said to be: something that is looked at or heard and runs nothing, a document, or what anything may be. */
type Claim = 'picture' | 'drawing' | 'media' | 'pdf' | 'office' | 'text' | 'archive' | 'page' | 'xml' | 'nothing'

const byType: [RegExp, Claim][] = [
  [/^image\/svg/, 'drawing'],
  [/^image\/openraster/, 'nothing'],
  [/^image\//, 'picture'],
  [/^(audio|video|font)\//, 'media'],
  [/^application\/pdf/, 'pdf'],
  [/^text\/html|xhtml/, 'page'],
  [/msword|ms-excel|ms-powerpoint|officedocument|opendocument|rtf/, 'office'],
  [/[/+]xml$/, 'xml'],
  [/^text\//, 'text'],
  [/zip|tar|rar|7z/, 'archive'],
]

const byEnding: [RegExp, Claim][] = [
  [/\.svgz?$/i, 'drawing'],
  [/\.(jpe?g|png|gif|webp|bmp|tiff?|ico|heic|avif|psd)$/i, 'picture'],
  [/\.(mp3|wav|flac|ogg|m4a|mp4|m4v|mov|webm|mkv|avi|ttf|otf|woff2?)$/i, 'media'],
  [/\.pdf$/i, 'pdf'],
  [/\.(html?|xht(?:ml?)?|shtml?|mht(?:ml)?)$/i, 'page'],
  [/\.(xml|xslt?|xspf)$/i, 'xml'],
  [/\.(docx?|xlsx?|pptx?|od[tspg]|rtf)$/i, 'office'],
  [/\.(txt|csv|md|log|json)$/i, 'text'],
  [/\.(zip|rar|7z|tar|tgz|gz)$/i, 'archive'],
]

const runs: Family[] = ['program', 'library', 'script', 'shortcut', 'disk-image']
const holds: Family[] = ['archive', 'container', 'sealed', 'ole']

/** What no honest mistake makes of what it is said to be. */
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

const claimOf = (table: [RegExp, Claim][], text: string) =>
  table.find(([pattern]) => pattern.test(text))?.[1] ?? 'nothing'

/** Whether a file is said to be a page or a drawing, or a document of XML that may be one, in which a browser would run scripts whatever it begins with. */
export function isSaidToBe(name: string, declaredType: string | null): 'markup' | 'xml' | null {
  const claims = [claimOf(byEnding, name), claimOf(byType, declaredType?.toLowerCase() ?? '')]
  if (claims.includes('page') || claims.includes('drawing')) return 'markup'
  return claims.includes('xml') ? 'xml' : null
}

/** The sentence on a content that is dangerously other than its name or declared type says; null when it is not. */
export function mismatch(kind: Kind, name: string, declaredType: string | null): string | null {
  const type = declaredType?.toLowerCase() ?? ''
  if (contradictions[claimOf(byType, type)].includes(kind.family))
    return `It is declared as ${type} and is ${kind.type}.`
  if (contradictions[claimOf(byEnding, name)].includes(kind.family))
    return `Its name says otherwise, and it is ${kind.type}.`
  return null
}
