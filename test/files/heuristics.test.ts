import t, { test } from 'tap'
import { changed, current, kept } from './golden.ts'
import { missingTools } from './tools.ts'

const missing = await missingTools()
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : false

test('a change of verdicts raises the version of the heuristics', { skip }, async (t) => {
  const [before, now] = [await kept(), await current()]
  if (now.version === before.version)
    t.strictSame(
      changed(before, now),
      [],
      'raise heuristicsVersion (workers/scan/heuristics.ts): verdicts have changed',
    )
  t.strictSame(now, before, 'run `node test/files/golden.ts`, which writes down version and verdicts')
})

t.test('a change is told by its sample, and a new sample is none', async (t) => {
  const before = { version: 7, verdicts: { texts: { 'a letter': 'clean', 'a script': 'suspicious executable' } } }
  const now = { version: 7, verdicts: { texts: { 'a letter': 'clean', 'a script': 'clean', 'a page': 'clean' } } }
  t.strictSame(changed(before, now), ['a script: suspicious executable → clean'])
})
