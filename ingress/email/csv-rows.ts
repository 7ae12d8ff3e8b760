/** What one column of a file is for. */
export interface Mapping {
  column: string
  target: 'email' | 'name' | 'tags' | { attribute: string; type: 'text' | 'number' | 'boolean' }
  /** The caller has named it. */
  isGiven: boolean
}

/** A contact as a file has it; what is amiss with it is told by its line. */
export interface ReadContact {
  email: string
  line: number
  name?: string
  attributes?: Record<string, unknown>
  tags?: string[]
}

/** A record's contact; a field that is empty says nothing. */
export function valuesOf(record: readonly string[], columns: readonly [number, Mapping][], line: number): ReadContact {
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

/** What is no number or truth value stays the text that it is. */
function typed(text: string, type: 'text' | 'number' | 'boolean'): string | number | boolean {
  if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  if (type === 'boolean' && (yes.has(text.toLowerCase()) || no.has(text.toLowerCase())))
    return yes.has(text.toLowerCase())
  return text
}
