import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { openPool } from '#sql/db.ts'
import { getConfigurationPath } from '../../embedded/clamd.ts'
import { type Benchmark, median } from './benchmark.ts'
import { type CpuByProgram, cpuSum, getReapedCpuSeconds, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import { getClamdscanVersion, runClamdscan, runParallelClamdscans } from './scan/clamdscan.ts'
import { kinds, makeFiles } from './scan/set.ts'
import { scanAll } from './scan/through.ts'
import { startStack } from './transcode/stack.ts'

interface Measurement {
  kind: string
  mebibytes: number
  seconds: number
  cpu: CpuByProgram
}

const sides = ['clamdscan', 'several', 'product'] as const

type Side = (typeof sides)[number]

/**
 * Measures the scan task against clamdscan with the same kinds of files and the same clamd. One clamdscan streams them in
 * sequence. Then as many clamdscans as scans run in parallel, which leaves no core free on small machines.
 */
export const scan: Benchmark = {
  summary: 'MiB/s of files through the scan task, compared with `clamdscan --stream` and the same clamd',
  options: {
    rounds: { about: 'rounds per side', default: 3 },
    files: { about: 'files of each kind per round', default: 4 },
  },
  async run({ rounds = 3, files = 4 }, ends) {
    const version = await getClamdscanVersion()
    const folder = await createBenchmarkFolder(ends)
    const stack = await startStack(folder, ends, { FRESHCLAM: 'false' })
    const api = { base: stack.facts.base_url, key: stack.facts.keys.platform ?? '' }
    const db = await openPool(stack.facts.database_url, 2)
    ends.defer(() => db.end())
    const clamd = getConfigurationPath(join(folder, 'data', 'clamav'))
    const found: Record<Side, Measurement[]> = { clamdscan: [], several: [], product: [] }
    const measure = {
      clamdscan: (paths: string[]) => runClamdscan(paths, clamd),
      several: (paths: string[]) => runParallelClamdscans(paths, clamd, config.SCAN_CONCURRENCY),
      product: (paths: string[], type: string, begun: () => Promise<void>) =>
        scanAll(api, db, paths, { type, timeout: 600_000, begun }),
    }
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? sides : sides.toReversed()
      for (const [kind, { type }] of Object.entries(kinds)) {
        for (const side of order) {
          const paths = await makeFiles(join(folder, 'files'), kind, files)
          const mebibytes = (await sizeOf(paths)) / 1024 ** 2
          const reaped = await getReapedCpuSeconds()
          let before = await measureTreeCpu(stack.pid)
          // Excludes the cost of the uploads.
          const begun = async () => {
            before = await measureTreeCpu(stack.pid)
          }
          const seconds = await measure[side](paths, type, begun)
          const clients = (await getReapedCpuSeconds()) - reaped
          const cpu = {
            ...subtractCpu(before, await measureTreeCpu(stack.pid)),
            ...(clients > 0 && { clamdscan: clients }),
          }
          found[side].push({ kind, mebibytes, seconds, cpu })
          const speed = `${(mebibytes / seconds).toFixed(1)} MiB/s of ${mebibytes.toFixed(0)} MiB`
          console.log(`  ${kind}, ${side}: ${speed}, CPU ${cpuSum(cpu).toFixed(1)} s`)
        }
      }
    }
    const compare = (beside: string, side: Side, atLeast: number) => ({
      what: `files through the scan, compared with ${beside}`,
      unit: 'MiB/s',
      limit: rate(found[side], rounds),
      product: rate(found.product, rounds),
      demand: { atLeast },
    })
    return {
      comparisons: [
        compare('one clamdscan', 'clamdscan', 0.85),
        compare(`${config.SCAN_CONCURRENCY} parallel clamdscans`, 'several', 0.5),
      ],
      notes: [
        `medians of ${rounds} rounds; the limit is ${version} with --stream; ${config.SCAN_CONCURRENCY} parallel scans`,
        'each round scans the kinds in sequence with new bytes for each side, because clamd caches clean files; clamd has the local signatures',
        'the product: from the start of the first scan to the end of the last, including download, hash, unpacking and rows',
        ...Object.keys(kinds).map((kind) => noteOf(kind, found)),
      ],
      rounds: found,
    }
  },
}

async function sizeOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

function rate(measured: readonly Measurement[], rounds: number): number {
  const perRound = measured.length / rounds
  const rates = Array.from({ length: rounds }, (_, round) => {
    const ofRound = measured.slice(round * perRound, (round + 1) * perRound)
    const sum = (fact: 'mebibytes' | 'seconds') => ofRound.reduce((total, each) => total + each[fact], 0)
    return sum('mebibytes') / sum('seconds')
  })
  return median(rates)
}

function noteOf(kind: string, found: Record<Side, Measurement[]>): string {
  const of = (side: Side, figure: (each: Measurement) => number) =>
    median(found[side].filter((each) => each.kind === kind).map(figure)).toFixed(1)
  const [speed, cost] = [
    ({ mebibytes, seconds }: Measurement) => mebibytes / seconds,
    ({ mebibytes, cpu }: Measurement) => (cpuSum(cpu) / mebibytes) * 1000,
  ].map((figure) => sides.map((side) => of(side, figure)).join(', '))
  return `${kind}: ${speed} MiB/s, total CPU ${cost} ms per MiB (${sides.join(', ')})`
}
