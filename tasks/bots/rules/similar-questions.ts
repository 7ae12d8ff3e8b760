import type { Compared } from '#sql/bots/question-groups.ts'
import { product } from '#sql/knowledge/vector-bytes.ts'
import { normaliseWords } from './fingerprint.ts'

/**
 * Minimum likeness to the nearest question of a group, and to all of its questions on average. Measured with 31
 * questions on 9 topics: of pairs with the same topic, 30 of 41 are above the first number, and of others 9 of 424.
 */
const least = { nearest: 0.5, average: 0.45 }

/** Minimum likeness of vectors of other models, which are less far apart. */
const leastOfOthers = { nearest: 0.85, average: 0.8 }

/** Minimum share of common words of questions without vectors of the same model. */
const leastWords = 0.6

interface Asked extends Compared {
  numbers?: Float32Array | undefined
}

/** Returns the group of known questions that a question belongs to. Undefined if it is similar to none. */
export function findGroup(asked: Asked, known: readonly Compared[]): string | undefined {
  const byGroup = Map.groupBy(known, ({ group_id }) => group_id)
  let best: { id: string; likeness: number } | undefined
  for (const [id, members] of byGroup) {
    if (id === null) continue
    const likeness = likenessOf(asked, members)
    if (likeness !== undefined && likeness > (best?.likeness ?? -1)) best = { id, likeness }
  }
  return best?.id
}

/** Returns how similar a question and a group are, 0 to 1. Undefined if they are not similar enough. */
function likenessOf({ question, model, numbers }: Asked, members: readonly Compared[]): number | undefined {
  const same = numbers ? members.filter((one) => one.model === model) : []
  if (numbers && same.length > 0) {
    const each = same.map(({ vector }) => (vector ? product(numbers, vector) : 0))
    const [nearest, average] = [Math.max(...each), each.reduce((sum, one) => sum + one, 0) / each.length]
    const limits = model?.endsWith('/sentences-1') ? least : leastOfOthers
    return nearest >= limits.nearest && average >= limits.average ? nearest : undefined
  }
  const words = wordsOf(question)
  const shared = Math.max(...members.map((one) => shareOf(words, getWords(one))))
  return shared >= leastWords ? shared : undefined
}

/** Starts of words. The end of a word is often only its form. */
const startLength = 6

const wordsOf = (question: string): Set<string> =>
  new Set(
    normaliseWords(question.slice(0, 2_000))
      .split(' ')
      .filter((word) => word.length > 2)
      .map((word) => word.slice(0, startLength)),
  )

const known = new WeakMap<Compared, ReadonlySet<string>>()

/** Returns the words of a known question. Remembers them, because each new question is compared with up to 1,000. */
export function getWords(question: Compared): ReadonlySet<string> {
  const words = known.get(question) ?? wordsOf(question.question)
  known.set(question, words)
  return words
}

/** Returns the share of words that both questions have, of all their words. At least two must be the same. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length
  return common < 2 ? 0 : common / (one.size + other.size - common)
}
