import { splitSentences } from '#lib/sentences.ts'
import { listTerms } from '#lib/terms.ts'
import type { Citation } from '#tasks/ai/engine.ts'
import { findUnprovenFigure, removeFigures } from './figures.ts'
import { detectLanguage } from './language.ts'
import { createTermMatcher, findNames } from './names.ts'
import { findContradiction, isNegated, isNo, removeLeadingParticle } from './polarity.ts'

export type Evidence = Pick<Citation, 'quote' | 'title'>

/** Maximum number of characters of an answer and of its evidence. The time for the comparison is quadratic. */
const longest = 20_000

/** Number of words of a sentence for each word that may be missing from the evidence. */
const wordsForOwn = 4

/**
 * Returns the reason why an answer does not follow from its quotes, compared by words. Each number and name of the
 * question and answer, and nearly all other words of the answer, must occur in a quote or its document's title. The
 * evidence of a negated statement must also be negated. If the languages differ, only numbers and names are compared.
 * Returns undefined if the check passes.
 */
export function findUnsupportedClaim(
  question: string,
  answer: string,
  quotes: readonly Evidence[],
): string | undefined {
  if (answer.length > longest) return 'the answer is too long to be compared with the quotes'
  return findUnansweredTerm(question, quotes) ?? unclaimedBy(getClaim(question, answer), answer, quotes)
}

const textOf = (quotes: readonly Evidence[]): string =>
  [...new Set(quotes.flatMap(({ title, quote }) => (title === null ? [quote] : [title, quote])))]
    .join('\n')
    .slice(0, longest)

export function findUnansweredTerm(question: string, quotes: readonly Evidence[]): string | undefined {
  const evidence = textOf(quotes)
  const figure = findUnprovenFigure(question, evidence)
  if (figure !== undefined) return `no quote has ${figure}, which the question names`
  const holds = createTermMatcher(evidence)
  const name = findNames(question).find((each) => isComparable(each, evidence) && !holds(each))
  return name === undefined ? undefined : `no quote speaks of ${name}, which the question names`
}

/** Returns the claim of an answer. An answer of only yes or no confirms or denies the question. */
const getClaim = (question: string, answer: string): string =>
  listTerms(removeLeadingParticle(answer)).length > 0 ? removeLeadingParticle(answer) : question

function unclaimedBy(claim: string, answer: string, quotes: readonly Evidence[]): string | undefined {
  const evidence = textOf(quotes)
  const figure = findUnprovenFigure(claim, evidence)
  if (figure !== undefined) return `no quote has ${figure}`
  const holds = createTermMatcher(evidence)
  const name = findNames(claim).find((each) => isComparable(each, evidence) && !holds(each))
  if (name !== undefined) return `no quote speaks of ${name}`
  const [said, written] = [detectLanguage(claim), detectLanguage(evidence)]
  if (said !== written && said !== undefined && written !== undefined) return undefined
  const opposed = findContradiction(claim, evidence)
  if (opposed !== undefined) return `the quotes say the opposite of "${opposed}"`
  const denies = claim !== removeLeadingParticle(answer) && isNo(answer)
  const proofs = splitSentences(evidence).map(({ text }) => ({
    isDenial: isNegated(text),
    holds: createTermMatcher(text),
  }))
  return firstOf(splitSentences(claim), ({ text }) => findUnprovenPart(text, denies, proofs, holds))
}

interface Proof {
  isDenial: boolean
  holds: (term: string) => boolean
}

function findUnprovenPart(
  sentence: string,
  denies: boolean,
  proofs: readonly Proof[],
  holds: (term: string) => boolean,
): string | undefined {
  const terms = [...new Set(listTerms(removeFigures(sentence)))]
  if (terms.length === 0) return undefined
  const missing = terms.filter((term) => !holds(term))
  if (missing.length > Math.floor(terms.length / wordsForOwn)) return `no quote says ${missing.join(', ')}`
  if ((isNegated(sentence) || denies) !== isDeniedNearest(terms, proofs)) {
    return 'the quotes deny it, or the answer denies what they say'
  }
  return undefined
}

/** True if the sentence of the evidence that is most similar is negated. */
function isDeniedNearest(terms: readonly string[], proofs: readonly Proof[]): boolean {
  let best = { common: 0, isDenial: false }
  for (const { holds, isDenial } of proofs) {
    const common = terms.filter(holds).length
    if (common > best.common) best = { common, isDenial }
  }
  return best.isDenial
}

/**
 * True if the name can be compared. Names are compared only within one script, because Рига and Riga share no letters.
 */
const isComparable = (name: string, evidence: string): boolean =>
  scripts.some((script) => script.test(name) && script.test(evidence))

const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{N}/u]

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
