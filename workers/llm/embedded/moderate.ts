import { splitSentences } from '#lib/sentences.ts'
import { listWords } from '#lib/terms.ts'
import { byCategory, type Moderation, type ModerationCategory, type ModerationResult } from '#tasks/ai/engine.ts'
import { lexicon, mitigatingContext } from './lexicon.ts'
import { getEngineResult } from './worked.ts'

const flagFrom = 0.5
/** Maximum score of hints such as swear words, regardless of their number. */
const mostOfHints = 0.4

export function moderate(input: readonly string[]): Moderation {
  return { results: input.map(judge), ...getEngineResult(input, '') }
}

function judge(text: string): ModerationResult {
  const left = new Map<ModerationCategory, number>()
  const attacked = new Set<ModerationCategory>()
  for (const sentence of splitSentences(text)) {
    const words = normaliseWords(sentence.text)
    const part = mitigatingContext.test(words) ? 0.5 : 1
    for (const { category, weight, pattern } of lexicon) {
      if (!pattern.test(words)) continue
      left.set(category, (left.get(category) ?? 1) * (1 - weight * part))
      if (weight >= flagFrom) attacked.add(category)
    }
  }
  const category_scores = byCategory((category) => {
    const score = 1 - (left.get(category) ?? 1)
    return Math.round(Math.min(score, attacked.has(category) ? 1 : mostOfHints) * 1e4) / 1e4
  })
  const categories = byCategory((category) => category_scores[category] >= flagFrom)
  return { flagged: Object.values(categories).some(Boolean), categories, category_scores }
}

const disguises: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
}

// linear enough: at most 80 characters, which are looked at from each beginning
const spelt = /(?<![\p{L}\p{N}])\p{L}(?:[ .*_-]\p{L}(?![\p{L}\p{N}])){2,40}/gu

/** Returns the words of a sentence with single spaces and without disguises such as "sh1t", "f u c k" and "k.i.l.l". */
function normaliseWords(text: string): string {
  const letters = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/(?<=\p{L})[013457@$]|[013457@$](?=\p{L})/gu, (character) => disguises[character] ?? character)
    .replace(spelt, (spaced) => spaced.replace(/[ .*_-]/g, ''))
    .replace(/n['’]t\b/gu, ' not')
    .replace(/['’]/gu, ' ')
  return listWords(letters).join(' ')
}
