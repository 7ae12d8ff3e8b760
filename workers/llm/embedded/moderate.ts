import {
  type Moderation,
  type ModerationCategory,
  type ModerationResult,
  moderationCategories,
} from '#tasks/ai/language-engine.ts'
import { guarded, lexicon } from './lexicon.ts'
import { sentencesOf } from './sentences.ts'
import { wordsOf } from './terms.ts'
import { worked } from './worked.ts'

/** The score from which a category holds. */
const flagFrom = 0.5

/** Judges texts by a lexicon of phrases; what it does not know it does not see. */
export function moderate(input: readonly string[]): Moderation {
  return { results: input.map(judge), ...worked(input, '') }
}

function judge(text: string): ModerationResult {
  const left = new Map<ModerationCategory, number>()
  for (const sentence of sentencesOf(text)) {
    const words = plainWords(sentence.text)
    const part = guarded.test(words) ? 0.5 : 1
    for (const { category, weight, pattern } of lexicon) {
      if (pattern.test(words)) left.set(category, (left.get(category) ?? 1) * (1 - weight * part))
    }
  }
  const scoreOf = (category: ModerationCategory) => Math.round((1 - (left.get(category) ?? 1)) * 1e4) / 1e4
  // Swear words alone never flag, however many there are.
  const category_scores = byCategory((category) =>
    category === 'harassment' ? harassment(text, scoreOf) : scoreOf(category),
  )
  const categories = byCategory((category) => category_scores[category] >= flagFrom)
  return { flagged: moderationCategories.some((category) => categories[category]), categories, category_scores }
}

/** The highest score that swear words alone come to. */
const mostOfSwearing = 0.4

function harassment(text: string, scoreOf: (category: ModerationCategory) => number): number {
  const score = scoreOf('harassment')
  if (score < flagFrom) return Math.min(score, mostOfSwearing)
  const attacks = lexicon.filter(({ category, weight }) => category === 'harassment' && weight >= flagFrom)
  const attacked = sentencesOf(text).some((sentence) => {
    const words = plainWords(sentence.text)
    return attacks.some(({ pattern }) => pattern.test(words))
  })
  return attacked ? score : mostOfSwearing
}

const byCategory = <Value>(of: (category: ModerationCategory) => Value) =>
  Object.fromEntries(moderationCategories.map((category) => [category, of(category)])) as Record<
    ModerationCategory,
    Value
  >

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

/** The words of a sentence with single spaces between, without disguises: "sh1t", "f u c k", "k.i.l.l". */
function plainWords(text: string): string {
  const letters = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/(?<=\p{L})[013457@$]|[013457@$](?=\p{L})/gu, (character) => disguises[character] ?? character)
    .replace(/(?<![\p{L}\p{N}])\p{L}(?:[ .*_-]\p{L}(?![\p{L}\p{N}])){2,}/gu, (spaced) => spaced.replace(/[ .*_-]/g, ''))
    .replace(/n['’]t\b/gu, ' not')
    .replace(/['’]/gu, ' ')
  return wordsOf(letters).join(' ')
}
