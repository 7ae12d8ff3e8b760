const placeholder = /\{\{\s*unsubscribe_url\s*\}\}/g

/**
 * Maximum number of characters of a part with the URL filled in, so that a part with many placeholders does not fill
 * the memory.
 */
const mostFilled = 2 * 1024 * 1024

export function findUnsubscribeLengthFault(part: string, url: string): string | undefined {
  const length = [...part.matchAll(placeholder)].reduce((sum, [said]) => sum + url.length - said.length, part.length)
  return length > mostFilled
    ? `must have at most ${mostFilled} characters after {{unsubscribe_url}} is filled in`
    : undefined
}

/** Fills in the unsubscribe URL on marketing streams. Other messages stay unchanged. */
export const withUnsubscribeUrl = (
  { html, text }: { html: string | undefined; text: string | undefined },
  url: string | undefined,
) => ({ html: filled(html, url), text: filled(text, url) })

// The URLs contain no characters that HTML would escape.
const filled = (part: string | undefined, url: string | undefined): string | undefined =>
  url === undefined ? part : part?.replaceAll(placeholder, () => url)
