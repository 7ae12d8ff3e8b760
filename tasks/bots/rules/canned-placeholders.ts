/** Names that a canned reply can contain, such as `{{visitor.name}}`. */
export const placeholders = [
  'visitor.name',
  'visitor.email',
  'visitor.id',
  'agent.name',
  'bot.name',
  'conversation.id',
] as const

export type Placeholder = (typeof placeholders)[number]

export type PlaceholderValues = Readonly<Record<Placeholder, string | null>>

const isPlaceholder = (name: string): name is Placeholder => (placeholders as readonly string[]).includes(name)

interface Part {
  text: string
  /** Name and words for a missing value. Undefined for plain text. */
  value?: { name: string; otherwise: string }
}

/** Splits a text at `{{name}}` and `{{name | words}}`. Braces without an end are plain text. Takes linear time. */
function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (;;) {
    const start = text.indexOf('{{', from)
    const end = start < 0 ? -1 : text.indexOf('}}', start + 2)
    if (end < 0) return [...parts, { text: text.slice(from) }]
    const inner = text.slice(start + 2, end)
    const bar = inner.indexOf('|')
    const name = (bar < 0 ? inner : inner.slice(0, bar)).trim()
    const otherwise = bar < 0 ? '' : inner.slice(bar + 1).trim()
    parts.push({ text: text.slice(from, start) }, { text: text.slice(start, end + 2), value: { name, otherwise } })
    from = end + 2
  }
}

/** Returns the names in braces that are not placeholders, each once. */
export const findUnknownPlaceholders = (text: string): string[] => [
  ...new Set(partsOf(text).flatMap(({ value }) => (value && !isPlaceholder(value.name) ? [value.name] : []))),
]

/**
 * Replaces the placeholders of a text with their values. A value is inserted as it is: braces in it are not replaced, and
 * line breaks become spaces.
 */
export function renderCannedReply(text: string, values: PlaceholderValues): string {
  return partsOf(text)
    .map(({ text: plain, value }) => {
      if (!value) return plain
      const found = isPlaceholder(value.name) ? values[value.name] : null
      return found ? toLine(found) : value.otherwise
    })
    .join('')
}

/** Maximum number of characters of an inserted value. */
const mostCharacters = 200

const toLine = (value: string): string => value.slice(0, mostCharacters).toWellFormed().replaceAll(/\s/g, ' ').trim()
