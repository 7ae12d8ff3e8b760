import { withoutReferences } from './references.ts'

/** The tags of a text of XML, whose attributes may have a `>` in their values; linear, for each stops at the next `<`. */
export function* tagsIn(text: string): Generator<string> {
  for (let at = text.indexOf('<'); at !== -1; ) {
    const next = text.indexOf('<', at + 1)
    yield text.slice(at, next === -1 ? text.length : next)
    at = next
  }
}

const attribute = /(?<=[\s"'/])([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** The attributes of a tag by their names in lower case, without prefix, character references resolved. */
export function attributesOf(tag: string): Map<string, string> {
  const pairs = [...tag.matchAll(attribute)].map(([, name = '', double, single]): [string, string] => [
    name.toLowerCase().replace(/^.*:/, ''),
    withoutReferences(double ?? single ?? ''),
  ])
  return new Map(pairs)
}
