/**
 * Yields the tags of an XML text. Attribute values can contain `>`. The time is linear, because each match stops at the
 * next `<`.
 */
export function* tagsIn(text: string): Generator<string> {
  for (let at = text.indexOf('<'); at !== -1; ) {
    const next = text.indexOf('<', at + 1)
    yield text.slice(at, next === -1 ? text.length : next)
    at = next
  }
}

const attribute = /(?<=[\s"'/])([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Returns the attributes of a tag by lower-case name without prefix, with character references resolved. */
export function attributesOf(tag: string): Map<string, string> {
  const pairs = [...tag.matchAll(attribute)].map(([, name = '', double, single]): [string, string] => [
    name.toLowerCase().replace(/^.*:/, ''),
    resolveReferences(double ?? single ?? ''),
  ])
  return new Map(pairs)
}

const named: Record<string, string> = { tab: '\t', newline: '\n', colon: ':', lpar: '(', amp: '&' }

/** Resolves character references (XML 1.0, 4.1; HTML, 13.5). */
export const resolveReferences = (text: string): string =>
  text.replace(/&(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|(tab|newline|colon|lpar|amp));?/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? all
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })

/** True if a template URL leads to another machine. File URLs do, unless a drive or a local path follows. */
export function isRemote(target: string): boolean {
  const plain = target.replaceAll('\\', '/')
  const [, slashes = '', rest = ''] = /^file:(\/*)(.*)$/is.exec(plain) ?? []
  if (!/^file:/i.test(plain)) return /^(?:https?|ftp|mhtml|ms-[\w-]+):|^\/\//i.test(plain)
  if (/^(?:localhost\/)?[a-z][:|]/i.test(rest)) return false
  return slashes.length === 2 ? !/^localhost\//i.test(rest) : slashes.length > 3
}
