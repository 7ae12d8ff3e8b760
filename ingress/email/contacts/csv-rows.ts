export interface Mapping {
  column: string
  target: 'email' | 'name' | 'tags' | { attribute: string; type: 'text' | 'number' | 'boolean' }
  /** True if the caller named the column in `map`. */
  isGiven: boolean
}

export interface ReadContact {
  email: string
  line: number
  name?: string
  attributes?: Record<string, unknown>
  tags?: string[]
}

/** Returns the contact in a record. Empty fields are ignored. */
export function toCsvContact(
  record: readonly string[],
  columns: readonly [number, Mapping][],
  line: number,
): ReadContact {
  const read: ReadContact = { email: '', line }
  for (const [at, { target }] of columns) {
    const text = record[at]?.trim() ?? ''
    if (target === 'email') read.email = text
    else if (text === '') continue
    else if (target === 'name') read.name = text
    else if (target === 'tags') read.tags = text.split(/[,;|]/).flatMap((tag) => tag.trim() || [])
    else read.attributes = { ...read.attributes, [target.attribute]: typed(text, target.type) }
  }
  return read
}

const yes = new Set(['true', 'yes', '1'])
const no = new Set(['false', 'no', '0'])

/** Converts text to a number or boolean. Returns the text unchanged if that is not possible. */
function typed(text: string, type: 'text' | 'number' | 'boolean'): string | number | boolean {
  if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  if (type === 'boolean' && (yes.has(text.toLowerCase()) || no.has(text.toLowerCase())))
    return yes.has(text.toLowerCase())
  return text
}
