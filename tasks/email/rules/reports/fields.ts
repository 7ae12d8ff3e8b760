/** Header fields of a block, by name in lower case. A repeated name has all its values in order. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** Maximum number of lines of a block, of blocks of a report, and of characters of a value. */
const most = { lines: 1_000, blocks: 100, value: 4_000 }

/** RFC 5322 §2.2: printable US-ASCII except the colon, then the colon, after blanks in obsolete syntax (§4.5). */
const field = /^([!-9;-~]+)[ \t]*:(.*)$/

/** Parses header fields at the start of a string and unfolds them. Skips invalid lines. */
export function readFields(text: string): Fields {
  const fields = new Map<string, string[]>()
  let current: { name: string; value: string } | undefined
  const keep = () => {
    if (current) fields.set(current.name, [...(fields.get(current.name) ?? []), current.value.trim()])
  }
  for (const line of text.split(/\r\n|\n|\r/, most.lines)) {
    if (line.trim() === '') break
    // A line that begins with a blank continues the previous field (§2.2.3).
    if (/^[ \t]/.test(line)) {
      if (current && current.value.length < most.value) current.value += ` ${line.slice(0, most.value).trim()}`
      continue
    }
    keep()
    const [, name, value] = field.exec(line) ?? []
    current =
      name === undefined || value === undefined
        ? undefined
        : { name: name.toLowerCase(), value: value.slice(0, most.value) }
  }
  keep()
  return fields
}

/** Splits a report into blocks of fields, which are separated by blank lines (RFC 3464 §2.1). */
export const readBlocks = (text: string): Fields[] =>
  text
    .replaceAll(/\r\n|\r/g, '\n')
    .split(/\n(?:[ \t]*\n)+/, most.blocks)
    .map(readFields)
    .filter(({ size }) => size > 0)

export const getFirstValue = (fields: Fields, name: string): string | undefined => fields.get(name)?.[0]

/** Returns the value without its type. For example, `rfc822; user@example.com` or `smtp; 550 …` (RFC 3464 §2.1.2). */
export const stripType = (value: string): string => value.replace(/^[ \t]*[a-z0-9-]+[ \t]*;/i, '').trim()
