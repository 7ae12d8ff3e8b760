/** Parses lines of `key = value`. Keys that are missing from the text become `null`, which deletes them. */
export function readMetadata(text: string, before: Readonly<Record<string, string>>): Record<string, string | null> {
  const lines = text.split('\n').flatMap((line) => {
    const at = line.indexOf('=')
    if (line.trim() === '') return []
    return [[line.slice(0, at < 0 ? undefined : at).trim(), at < 0 ? '' : line.slice(at + 1).trim()] as const]
  })
  return { ...Object.fromEntries(Object.keys(before).map((key) => [key, null])), ...Object.fromEntries(lines) }
}

export const writeMetadata = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n')
