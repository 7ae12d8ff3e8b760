/**
 * Patterns for names that clients choose. They use escape ranges because the OpenAPI document publishes them, and
 * regular expressions in Python and Go do not support `\p{Cc}`.
 */

const control = String.raw`\u0000-\u001f\u007f-\u009f`

/** Control characters and the two Unicode line separators. */
const lineEnds = String.raw`${control}\u2028\u2029`

/** Spaces, format characters and private-use characters, which are invisible at the start or end of a name. */
const invisible = String.raw`${lineEnds}\u0020\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ud800-\udfff\ue000-\uf8ff\ufeff\ufff9-\ufffb`

/** Text without control characters. Can be empty. */
export const withoutControl = new RegExp(`^[^${control}]*$`, 'u')

/** Text that does not start or end with an invisible character. */
export const trimmed = new RegExp(`^[^${invisible}](.*[^${invisible}])?$`, 'u')

/** One line that does not start or end with an invisible character. */
export const trimmedLine = new RegExp(`^[^${invisible}]([^${lineEnds}]*[^${invisible}])?$`, 'u')

export const fileName = new RegExp(String.raw`^[^/\\${control}]+$`, 'u')
