/** `npm run check:prose`: fails if the texts of the repository have too many idioms or too many long sentences. */
import { parseArgs } from 'node:util'
import { textsOfTree } from './files.ts'
import { examine, type Finding, type Totals } from './findings.ts'
import { type Kind, kinds } from './text.ts'

/**
 * Maximum number of idioms per 1,000 words of a kind of text, and maximum share of guide sentences with more than 25
 * words.
 */
const limits = { idioms: 3, longGuideSentences: 0.1 }

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean' }, kind: { type: 'string' } },
  allowPositionals: true,
})
const { findings, totals } = examine(await textsOfTree(process.cwd(), positionals))
const chosen = kinds.filter((kind) => !values.kind || kind === values.kind)
const overLimit = chosen.filter((kind) => idiomsPer1000(kind) > limits.idioms)
const isTooLong = (finding: Finding) => finding.fault.endsWith(' words')

for (const finding of findings) {
  const { kind, file, line } = finding.text
  if (chosen.includes(kind) && (values.all || isTooLong(finding) || overLimit.includes(kind)))
    console.log(`${file}:${line} ${kind}: ${finding.fault} → ${finding.advice}`)
}
for (const kind of chosen) {
  const total = totals.get(kind)
  if (total) console.log(`${kind.padEnd(8)} ${summary(kind, total)}`)
}
const hasLongGuides = longShare('guide') > limits.longGuideSentences
if (
  overLimit.length > 0 ||
  hasLongGuides ||
  findings.some((finding) => chosen.includes(finding.text.kind) && isTooLong(finding))
) {
  console.log(
    `Prose: up to ${limits.idioms} idioms per 1,000 words in each kind, up to ${100 * limits.longGuideSentences} % of guide sentences over 25 words.`,
  )
  process.exitCode = 1
}

function summary(kind: Kind, { texts, words }: Totals): string {
  return `${texts} texts, ${words} words, ${idiomsPer1000(kind).toFixed(1)} idioms per 1,000 words, ${(100 * longShare(kind)).toFixed(0)} % of sentences over 25 words`
}

function idiomsPer1000(kind: Kind): number {
  const { idioms = 0, words = 1 } = totals.get(kind) ?? {}
  return (1_000 * idioms) / words
}

function longShare(kind: Kind): number {
  const { long = 0, sentences = 1 } = totals.get(kind) ?? {}
  return long / sentences
}
