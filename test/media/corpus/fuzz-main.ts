/** `npm run fuzz -- [--count 1000] [--seconds 300] [--first 1]`: takes mutated files the whole way; no hang, no crash, no stray file. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createMediaEngine } from '../../../workers/media/engine.ts'
import { type Fuzzed, fuzz, lures, trap } from './fuzz.ts'
import { makeSeeds } from './seeds.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { count: text, seconds: text, first: text, 'at-once': text } })
const number = (name: keyof typeof values, usual: number) => Number(values[name] ?? usual)
const folder = await mkdtemp(join(tmpdir(), 'millrace-fuzz-'))
const engine = createMediaEngine({ nice: 15, threads: 1 })
const isWrong = ({ end, strayed }: Fuzzed) => end === 'timeout' || end === 'broken' || strayed.length > 0

try {
  const snare = await trap(join(folder, 'secret'))
  const seeds = new Map([...(await makeSeeds(join(folder, 'seeds'))), ...lures(join(folder, 'secret'))])
  const settings = { first: number('first', 1), count: number('count', 1000), seconds: number('seconds', 300) }
  const found = await fuzz({
    engine,
    folder,
    seeds,
    ...settings,
    each: 60,
    atOnce: number('at-once', 2),
    tell(one) {
      if (isWrong(one))
        console.log(`${one.seed} of ${one.of}: ${one.end} after ${one.seconds.toFixed(1)} s: ${one.sentence}`)
      for (const path of one.strayed) console.log(`${one.seed} of ${one.of}: opened ${path}`)
      if (snare.sprung()) console.log(`${one.seed} of ${one.of}: somebody reads ${join(folder, 'secret')}`)
    },
  })
  for (const [end, all] of Map.groupBy(found, (one) => one.end)) {
    const slowest = Math.max(...all.map(({ seconds }) => seconds)).toFixed(1)
    const largest = Math.max(...all.map(({ memory }) => memory))
    console.log(
      `${end.padEnd(18)} ${String(all.length).padStart(5)}  slowest ${slowest.padStart(5)} s, largest ${largest} MiB`,
    )
  }
  const wrong = found.filter(isWrong).length
  console.log(`${found.length} of ${settings.count} files were tried, ${wrong} not as they should`)
  process.exitCode = wrong === 0 && found.length > 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
