/**
 * Process of the image engine. It decodes untrusted images, one at a time, without network, secrets or files. It ends
 * with its standard input.
 */

import { readFrames, writeFrame } from './frames.ts'
import { measure } from './measure.ts'
import type { Question } from './painter.ts'
import { transform } from './transform.ts'

readFrames(
  process.stdin,
  ({ head, body }) => void answer(head as Question, body),
  () => process.exit(1),
)
process.stdin.on('end', () => process.exit(0))
writeFrame(process.stdout, { ready: true })

async function answer(question: Question, source: Buffer): Promise<void> {
  const answered = question.kind === 'measure' ? await measure(source) : await transform(source, question.recipe)
  if (!('made' in answered)) return writeFrame(process.stdout, answered)
  const { bytes, ...made } = answered.made
  writeFrame(process.stdout, { made }, bytes)
}
