/**
 * Patterns for names that clients choose. They use escape ranges because the OpenAPI document publishes the patterns,
 * and regular expressions in Python and Go do not support `\p{Cc}`.
 */

const control = String.raw`\u0000-\u001f\u007f-\u009f`

const lineEnds = String.raw`${control}\u2028\u2029`

const invisible = String.raw`${lineEnds}\u0020\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ud800-\udfff\ue000-\uf8ff\ufeff\ufff9-\ufffb`

export const withoutControl = new RegExp(`^[^${control}]*$`, 'u')

export const trimmed = new RegExp(`^[^${invisible}](.*[^${invisible}])?$`, 'u')

export const trimmedLine = new RegExp(`^[^${invisible}]([^${lineEnds}]*[^${invisible}])?$`, 'u')

export const fileName = new RegExp(String.raw`^[^/\\${control}]+$`, 'u')
