import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPool } from '#sql/db.ts'
import type { Benchmark } from './benchmark.ts'
import { createBenchmarkFolder } from './ground.ts'
import { scanAll } from './scan/through.ts'
import { startStack } from './transcode/stack.ts'

/** Maximum memory of the scanning process in MiB. */
const most = 300

export const scanMemory: Benchmark = {
  summary: 'peak memory of one worker process that scans large files in parallel (needs 4 times their size on disk)',
  options: {
    files: { about: 'files', default: 8 },
    megabytes: { about: 'MiB per file', default: 1024 },
  },
  async run({ files = 8, megabytes = 1024 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const settings = { FRESHCLAM: 'false', SCAN_CONCURRENCY: String(files) }
    const { pid, facts } = await startStack(folder, ends, settings)
    const api = { base: facts.base_url, key: facts.keys.platform ?? '' }
    const db = await openPool(facts.database_url, 2)
    ends.defer(() => db.end())
    const worker = await childOf(pid, 'workers/main.ts')
    const paths = await makeFiles(join(folder, 'files'), files, megabytes)
    const idle = await mebibytes(worker, 'VmRSS')
    const seconds = await scanAll(api, db, paths, {
      type: 'application/octet-stream',
      timeout: 1_800_000,
      begun: () => writeFile(`/proc/${worker}/clear_refs`, '5'),
    })
    const peak = await mebibytes(worker, 'VmHWM')
    return {
      comparisons: [
        {
          what: `${files} parallel scans of ${megabytes} MiB`,
          unit: 'MiB',
          limit: most,
          product: peak,
          demand: { atMost: 1 },
        },
      ],
      notes: [
        `the limit is the requirement; peak resident memory of the process with all pools, ${idle.toFixed(0)} MiB before`,
        `${((files * megabytes) / seconds).toFixed(0)} MiB/s through the scans`,
      ],
      rounds: { idle, peak, seconds },
    }
  },
}

async function makeFiles(folder: string, count: number, megabytes: number): Promise<string[]> {
  await mkdir(folder)
  const paths = Array.from({ length: count }, (_, i) => join(folder, `${i}.bin`))
  for (const path of paths) {
    const block = randomBytes(1024 ** 2)
    await using file = await open(path, 'w')
    for (let i = 0; i < megabytes; i++) await file.writeFile(block)
  }
  return paths
}

async function childOf(parent: number, script: string): Promise<number> {
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (command.includes(script) && Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === parent) return Number(name)
  }
  throw new Error(`No child process of ${parent} runs ${script}.`)
}

async function mebibytes(pid: number, fact: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${fact}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024
}
