/** `npm run corpus [-- WORD]`: takes every file of the corpus (or those with WORD in their name) the whole way, and prints what became of it. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMediaEngine } from '../../../workers/media/engine.ts'
import { tryFile } from '../trial.ts'
import type { Case } from './case.ts'
import { damaged } from './damaged.ts'
import { disguised } from './disguised.ts'
import { oddities } from './odd.ts'

const wanted = process.argv[2] ?? ''
const cases = [...disguised, ...damaged, ...oddities].filter(({ name }) => name.includes(wanted))
const folder = await mkdtemp(join(tmpdir(), 'millrace-corpus-'))
const engine = createMediaEngine()
let wrong = 0

/** What is wrong with how a case ended, empty when nothing is. */
function faultsOf({ ends, seconds, memory }: Case, found: Awaited<ReturnType<typeof tryFile>>): string[] {
  return [
    ...(ends.includes(found.end) ? [] : [`should be ${ends.join(' or ')}: ${found.sentence}`]),
    ...(found.seconds <= seconds ? [] : [`more than ${seconds} s`]),
    ...(found.memory <= memory ? [] : [`more than ${memory} MiB`]),
    ...found.strayed.map((path) => `opened ${path}`),
  ]
}

try {
  console.log(`${'case'.padEnd(42)} ${'end'.padEnd(12)} seconds    MiB`)
  for (const [i, one] of cases.entries()) {
    const own = join(folder, String(i))
    await mkdir(own)
    const source = join(own, one.file)
    await one.make(source, own)
    const found = await tryFile(engine, { source, folder: own, seconds: one.seconds * 2 })
    const faults = faultsOf(one, found)
    if (faults.length > 0) wrong++
    const figures = `${found.seconds.toFixed(1).padStart(7)} ${String(found.memory).padStart(6)}`
    console.log(`${one.name.padEnd(42)} ${found.end.padEnd(12)} ${figures}  ${faults.join('; ')}`)
    await rm(own, { recursive: true })
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(
  wrong === 0 ? `${cases.length} files, all as they should` : `${wrong} of ${cases.length} files not as they should`,
)
process.exitCode = wrong === 0 ? 0 : 1
