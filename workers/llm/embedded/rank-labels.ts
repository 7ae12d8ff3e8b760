import type { Classification, ClassifyRequest } from '#tasks/ai/engine.ts'

/** Slope of the conversion from similarity to probability. */
const sharpness = 14
const shares = { single: 0, multi: 0.5 }

interface Scale {
  /** Minimum similarity of a label. Unrelated texts are usually below it. */
  floor: number
  /** Similarity at which a label of several has a score of 0.5. */
  middle: number
  /** Maximum difference between labels that count as tied. */
  tie: number
}

/** Selects a label by its similarity to a text. `likeness` has one number per label. */
export function rankLabels(
  { labels, multiLabel, threshold, margin = 0 }: ClassifyRequest,
  likeness: readonly number[],
  { floor, middle, tie }: Scale,
): Classification {
  const least = threshold ?? (multiLabel ? shares.multi : shares.single)
  const scores = multiLabel ? likeness.map((each) => sigmoid(each - middle)) : softmax(likeness)
  const ranked = labels
    .map(({ name }, i) => ({ label: name, score: rounded(scores[i] ?? 0), raw: likeness[i] ?? 0 }))
    .sort((one, other) => other.raw - one.raw)
  const [best, second] = ranked
  const lead = rounded((best?.score ?? 0) - (second?.score ?? 0))
  const clear = best !== undefined && best.raw >= floor && best.score >= least && (multiLabel || lead >= margin)
  const open = !multiLabel && best !== undefined && second !== undefined && best.raw - second.raw < tie
  return {
    label: clear ? best.label : null,
    labels: ranked.map(({ label, score }) => ({ label, score })),
    low_confidence: !clear || open,
    margin: lead,
  }
}

const rounded = (value: number) => Math.round(value * 1e4) / 1e4

const sigmoid = (value: number) => 1 / (1 + Math.exp(-sharpness * value))

function softmax(likeness: readonly number[]): number[] {
  const powers = likeness.map((each) => Math.exp(sharpness * each))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}
