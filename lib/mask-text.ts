/** What stands for a secret in text that people and logs may see. */
const mask = '[masked]'

const patterns: readonly (readonly [RegExp, string])[] = [
  // user:password@ in URLs.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]*):[^\s/@]+@/gi, `$1:${mask}@`],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${mask}`],
  [/\b(bt_live_|bt_site_|snd_live_|snd_test_|mtz_live_|whsec_)[A-Za-z0-9+/=_-]{8,}/g, `$1${mask}`],
  // JSON Web Tokens, of three parts, and our own, of two; the first is a JSON object. The point may be encoded, as in a URL.
  [/\beyJ[\w-]{8,}(?:(?:\.|%2e)[\w-]*){1,2}/gi, mask],
  [/\bAKIA[A-Z0-9]{16}\b/g, mask],
  // name=value and "name": "value".
  [
    /\b([\w-]{0,40}(?:password|passwd|secret|token|signature|credential|api[_-]?key|access[_-]?key|authorization|cookie)[\w-]{0,40}["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s&,;"'}\])]+)/gi,
    `$1${mask}`,
  ],
]

/** The text with whatever looks like a secret masked: keys, tokens, passwords in URLs and in name=value pairs. */
export const maskText = (text: string): string =>
  patterns.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text)
