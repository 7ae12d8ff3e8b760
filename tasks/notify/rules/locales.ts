/**
 * Returns the languages of a person, best first, in lower case: for example, `de-AT`, `de`, and the fallback (RFC 4647
 * §3.4).
 */
export function listLocales(locale: string | null | undefined, fallback: string | undefined): readonly string[] {
  const ranges = [locale, fallback].flatMap((tag) => {
    const parts = tag?.toLowerCase().split('-') ?? []
    return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
  })
  return [...new Set(ranges)].slice(0, 8)
}
