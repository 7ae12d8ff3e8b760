const replacement = '\ufffd'

/**
 * Prepares text from external sources, such as a server’s reply, for storage. Replaces NUL and lone surrogates by
 * U+FFFD, because Postgres rejects them. If the text is longer than `most` UTF-16 units, it is truncated between
 * characters.
 */
export function toStorableText(text: string, most = Number.POSITIVE_INFINITY): string {
  // True if the limit would separate a surrogate pair. Then its first half is removed. Lone surrogates stay here and
  // are replaced later.
  const isCutInside = text.length > most && (text.codePointAt(most - 1) ?? 0) > 0xffff
  return replaceNul(text.slice(0, isCutInside ? most - 1 : most)).toWellFormed()
}

export const replaceNul = (text: string): string => text.replaceAll('\0', replacement)

/**
 * Matches JSON escapes. Also matches escaped backslashes, so that the characters after them are not read as an escape.
 */
const escapes = /\\(?:(u0000)|(ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|(ud[89a-f][0-9a-f]{2})|.)/gi

/**
 * Replaces escaped NULs and lone surrogates in JSON by U+FFFD. `jsonb` rejects them. `json` accepts them, but cannot be
 * read then.
 */
export const replaceEscapes = (json: string): string =>
  json.replace(escapes, (found, nul, _pair, half) => (nul || half ? replacement : found))
