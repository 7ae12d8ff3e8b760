import { hash } from 'node:crypto'

/** The words of a text as they are compared: small letters without accents, apart by one blank. */
export const wordsOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** What questions have in common that have the same words; undefined for what has none. */
export function fingerprintOf(question: string): string | undefined {
  const words = wordsOf(question)
  return words === '' ? undefined : hash('sha256', words, 'hex').slice(0, 32)
}
