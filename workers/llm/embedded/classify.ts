import { listTerms, listWords } from '#lib/terms.ts'
import type { Classification, Classifications, ClassifyRequest, Label } from '#tasks/ai/engine.ts'
import { rankLabels } from './rank-labels.ts'
import { getEngineResult } from './worked.ts'

/** Minimum similarity of a label. Unrelated texts stay below 0.08 (measured). */
const floor = 0.12
/** Maximum difference between labels that count as tied. */
const tie = 0.02
const wordWeight = 3

type Vector = ReadonlyMap<string, number>

/**
 * Labels texts by their similarity to each label's name, description and examples. Compares words and parts of words.
 */
export function classify(request: ClassifyRequest): Classifications {
  const { input, labels } = request
  const samples = labels.map((label) => samplesOf(label).map(vectorOf))
  const results = input.map((text): Classification => {
    const vector = vectorOf(text)
    const likeness = samples.map((all) => Math.max(...all.map((sample) => cosine(vector, sample))))
    return { ...rankLabels(request, likeness, { floor, middle: 2 * floor, tie }), method: 'words' }
  })
  const given = labels.flatMap((label) => samplesOf(label))
  return { results, ...getEngineResult([...input, ...given], results.map(({ label }) => label ?? '').join('\n')) }
}

const samplesOf = ({ name, description, examples = [] }: Label): string[] => [
  name.replace(/[_-]+/g, ' '),
  ...(description === undefined ? [] : [`${name} ${description}`]),
  ...examples,
]

function vectorOf(text: string): Vector {
  const counts = new Map<string, number>()
  const add = (feature: string, weight: number) => counts.set(feature, (counts.get(feature) ?? 0) + weight)
  const stems = listTerms(text)
  for (const stem of stems) add(stem, wordWeight)
  // A text that contains only stop words is compared by its stop words.
  for (const word of stems.length > 0 ? stems : listWords(text)) {
    const bounded = `<${word}>`
    for (const length of [3, 4]) {
      for (let i = 0; i + length <= bounded.length; i++) add(`\0${bounded.slice(i, i + length)}`, 1)
    }
  }
  return counts
}

function cosine(one: Vector, other: Vector): number {
  let product = 0
  for (const [feature, count] of one) product += count * (other.get(feature) ?? 0)
  return product === 0 ? 0 : product / (lengthOf(one) * lengthOf(other))
}

const lengthOf = (vector: Vector) => Math.sqrt([...vector.values()].reduce((sum, count) => sum + count * count, 0))
