/** Header fields of one block, by their names in lower case; of a name that occurs more than once, all values in order. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** The most lines of a block, blocks of a report and characters of a value that are looked at: what is longer is no report. */
const most = { lines: 1_000, blocks: 100, value: 4_000 }

/** RFC 5322 §2.2: printable US-ASCII but the colon, then the colon, before which obsolete syntax allows blanks (§4.5). */
const field = /^([!-9;-~]+)[ \t]*:(.*)$/

/** Reads the header fields at the beginning of a text, unfolded; a line that is none is passed over. */
export function readFields(text: string): Fields {
  const fields = new Map<string, string[]>()
  let current: { name: string; value: string } | undefined
  const keep = () => {
    if (current) fields.set(current.name, [...(fields.get(current.name) ?? []), current.value.trim()])
  }
  for (const line of text.split(/\r\n|\n|\r/, most.lines)) {
    if (line.trim() === '') break
    // A line that begins with a blank goes on with the field before it (§2.2.3).
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

/** Reads blocks of fields with empty lines between (RFC 3464 §2.1). */
export const readBlocks = (text: string): Fields[] =>
  text
    .replaceAll(/\r\n|\r/g, '\n')
    .split(/\n(?:[ \t]*\n)+/, most.blocks)
    .map(readFields)
    .filter(({ size }) => size > 0)

/** The first value of a field. */
export const first = (fields: Fields, name: string): string | undefined => fields.get(name)?.[0]

/** What follows the type of a typed field, `rfc822; user@example.com` or `smtp; 550 …` (RFC 3464 §2.1.2); all of an untyped one. */
export const withoutType = (value: string): string => value.replace(/^[ \t]*[a-z0-9-]+[ \t]*;/i, '').trim()
