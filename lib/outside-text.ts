const replacement = '\ufffd'

/**
 * Prepares text from external sources, such as a server’s reply, for storage. NUL and lone surrogates, which Postgres
 * rejects, become U+FFFD. Text longer than `most` UTF-16 units is cut between two characters.
 */
export function toStorableText(text: string, most = Number.POSITIVE_INFINITY): string {
  // The first half of a surrogate pair whose second half is cut off. Lone surrogates stay and are replaced.
  const isCutInside = text.length > most && (text.codePointAt(most - 1) ?? 0) > 0xffff
  return replaceNul(text.slice(0, isCutInside ? most - 1 : most)).toWellFormed()
}

export const replaceNul = (text: string): string => text.replaceAll('\0', replacement)

/** JSON escapes. Escaped backslashes are matched, so the characters after them are not read as an escape. */
const escapes = /\\(?:(u0000)|(ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|(ud[89a-f][0-9a-f]{2})|.)/gi

/**
 * Replaces escaped NULs and lone surrogates in JSON by U+FFFD. `jsonb` rejects them, and `json` with them cannot be
 * read.
 */
export const replaceEscapes = (json: string): string =>
  json.replace(escapes, (found, nul, _pair, half) => (nul || half ? replacement : found))
