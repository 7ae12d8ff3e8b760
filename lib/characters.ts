/**
 * Patterns for names that clients choose. Each is written with escape ranges, as the OpenAPI document publishes it and
 * the regular expressions of Python and Go have no `\p{Cc}`.
 */

/** Control characters: C0, DEL and C1. */
const control = String.raw`\u0000-\u001f\u007f-\u009f`

/** Control characters and the two separators that also end a line. */
const lineEnds = String.raw`${control}\u2028\u2029`

/** Spaces, format characters and private use: invisible at the start or the end of a name. */
const invisible = String.raw`${lineEnds}\u0020\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ud800-\udfff\ue000-\uf8ff\ufeff\ufff9-\ufffb`

/** Text without control characters, the empty text included. */
export const withoutControl = new RegExp(`^[^${control}]*$`, 'u')

/** Text that neither starts nor ends with a space or another invisible character. */
export const trimmed = new RegExp(`^[^${invisible}](.*[^${invisible}])?$`, 'u')

/** One line that neither starts nor ends with an invisible character. */
export const trimmedLine = new RegExp(`^[^${invisible}]([^${lineEnds}]*[^${invisible}])?$`, 'u')

/** A file name without folders and control characters. */
export const fileName = new RegExp(String.raw`^[^/\\${control}]+$`, 'u')
