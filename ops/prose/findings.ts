import { readFileSync } from 'node:fs'
import type { Kind, Text } from './text.ts'

/** A fault of a text, with the plain alternative. */
export interface Finding {
  text: Text
  fault: string
  advice: string
}

/** Counts of one kind of text. */
export interface Totals {
  texts: number
  words: number
  idioms: number
  sentences: number
  /** Number of sentences with more than 25 words. */
  long: number
}

const idioms = readFileSync(new URL('./idioms.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([pattern = '', advice = '']) => ({ pattern: new RegExp(pattern, 'gi'), advice }))

/**
 * Returns the maximum number of words in a sentence. It is lower for errors and pages, which people read in a hurry.
 */
export const maxWords = (kind: Kind): number => (kind === 'error' || kind === 'page' ? 25 : 30)

/** Returns the idioms and the sentences that are too long, and counts both by kind. */
export function examine(texts: Text[]): { findings: Finding[]; totals: Map<Kind, Totals> } {
  const findings: Finding[] = []
  const totals = new Map<Kind, Totals>()
  for (const text of texts) {
    const total = totals.get(text.kind) ?? { texts: 0, words: 0, idioms: 0, sentences: 0, long: 0 }
    totals.set(text.kind, total)
    const plain = text.text.replace(/`[^`]*`/g, '`x`').replace(/\]\([^()[\]]*\)/g, ']')
    total.texts++
    total.words += wordsOf(plain)
    for (const { pattern, advice } of idioms)
      for (const [idiom] of plain.matchAll(pattern)) {
        total.idioms++
        findings.push({ text, fault: `“${idiom.trim()}”`, advice })
      }
    for (const sentence of plain.split(/(?<=[.!?])\s+(?=[A-Z`*])/)) {
      const words = wordsOf(sentence)
      total.sentences++
      if (words > 25) total.long++
      if (words > maxWords(text.kind))
        findings.push({
          text,
          fault: `${words} words`,
          advice: `split the sentence: up to ${maxWords(text.kind)} words`,
        })
    }
  }
  return { findings, totals }
}

const wordsOf = (text: string): number => (text.match(/[\w’'.-]+/g) ?? []).length
