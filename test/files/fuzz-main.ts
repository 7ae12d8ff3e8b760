/**
 * Run by hand, `npm run fuzz:files -- [first] [count]`: changes archives with EICAR in them at random (300, from the first number
 * on), and counts how they end. One that is clean, though some program takes EICAR out of it, is a fault, and is written
 * to the folder `.data/fuzz`; so is one that takes longer than ten seconds.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fuzzArchives } from './fuzz.ts'

const [first = '1', count = '300'] = process.argv.slice(2)
const longest = 10
const kept = join('.data', 'fuzz')
const folder = await mkdtemp(join(tmpdir(), 'millrace-fuzz-'))
const ends = new Map<string, number>()
let faults = 0
try {
  for await (const { seed, of, bytes, status, extractors, seconds } of fuzzArchives(
    folder,
    Number(first),
    Number(count),
  )) {
    ends.set(status, (ends.get(status) ?? 0) + 1)
    if (extractors.length === 0 && seconds <= longest) continue
    faults += 1
    await mkdir(kept, { recursive: true })
    await writeFile(join(kept, `${seed}.bin`), bytes)
    console.log(
      `${seed}, of ${of}: ${status} after ${seconds.toFixed(1)} s, EICAR by ${extractors.join(', ') || 'none'}`,
    )
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.table({ ...Object.fromEntries(ends), faults })
process.exit(faults > 0 ? 1 : 0)
