/** Parses a tag list (RFC 6376 §3.2), which DMARC also uses. Returns null if the list is invalid or repeats a tag. */
export function readTags(text: string): ReadonlyMap<string, string> | null {
  const tags = new Map<string, string>()
  const parts = text.split(';')
  if (parts.at(-1)?.trim() === '') parts.pop()
  for (const part of parts) {
    const [, name, value] = /^([A-Za-z]\w*)\s*=([^;]*)$/.exec(part.trim()) ?? []
    if (name === undefined || value === undefined || tags.has(name)) return null
    tags.set(name, value.trim())
  }
  return tags
}
