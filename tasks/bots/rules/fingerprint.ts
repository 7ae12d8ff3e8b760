import { hash } from 'node:crypto'

/** Normalises the words of a text for comparison: lower case, no accents, one space between them. */
export const normaliseWords = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Returns a key that is the same for questions with the same words. Returns undefined for a question without words. */
export function getFingerprint(question: string): string | undefined {
  const words = normaliseWords(question)
  return words === '' ? undefined : hash('sha256', words, 'hex').slice(0, 32)
}
