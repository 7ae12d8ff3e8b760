const replacement = '\ufffd'

/**
 * Text that others sent, such as a server's reply, as a row can hold it: NUL and halves of characters, which Postgres refuses,
 * become U+FFFD, and what is longer than `most` UTF-16 units is cut between two characters.
 */
export function outsideText(text: string, most = Number.POSITIVE_INFINITY): string {
  // The first half of a pair whose second one is cut off; what is broken by itself stays, and is shown.
  const isCutInside = text.length > most && (text.codePointAt(most - 1) ?? 0) > 0xffff
  return replaceNul(text.slice(0, isCutInside ? most - 1 : most)).toWellFormed()
}

/** Text with U+FFFD for each NUL. */
export const replaceNul = (text: string): string => text.replaceAll('\0', replacement)

/** Escapes of JSON, so that what follows an escaped backslash is not taken for one. */
const escapes = /\\(?:(u0000)|(ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|(ud[89a-f][0-9a-f]{2})|.)/gi

/** JSON with U+FFFD for each escaped NUL and each escaped half of a character, which `jsonb` refuses and `json` cannot be read with. */
export const replaceEscapes = (json: string): string =>
  json.replace(escapes, (found, nul, _pair, half) => (nul || half ? replacement : found))
