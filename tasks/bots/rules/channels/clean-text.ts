import { toStorableText } from '#lib/outside-text.ts'

/** Maximum number of characters of a message that a bot reads. */
const most = 8_000

/** Control characters except line breaks and tabs, and characters that change the direction of text or have no width. */
const isHidden = (code: number): boolean =>
  (code < 0x20 && code !== 0x0a && code !== 0x09) ||
  (code >= 0x7f && code < 0xa0) ||
  code === 0x200b ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x2069) ||
  code === 0xfeff ||
  (code >= 0xe0000 && code <= 0xe007f)

/** Returns the visible text of a received message, up to 8,000 characters. */
export function cleanText(text: string): string {
  let kept = ''
  for (const character of text.slice(0, most * 4)) {
    if (!isHidden(character.codePointAt(0) ?? 0)) kept += character
    if (kept.length > most) break
  }
  return toStorableText(kept.trim(), most)
}
