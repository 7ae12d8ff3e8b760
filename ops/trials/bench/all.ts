import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Comparison, printTable, reportPath } from './report.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

/**
 * `npm run bench -- all`: runs each benchmark in its own process, one after another, and prints one table of all
 * comparisons. Lists benchmarks that could not run below it.
 * @returns the exit status: 1 if a benchmark could not run.
 */
export async function runAllBenchmarks(names: readonly string[]): Promise<number> {
  const comparisons: Comparison[] = []
  const failed: string[] = []
  for (const name of names) {
    const child = spawn(process.execPath, [main, name], { stdio: 'inherit' })
    const [status] = await once(child, 'exit')
    if (status === 0) comparisons.push(...(await writtenBy(name)))
    else failed.push(name)
  }
  printTable('all', comparisons)
  if (failed.length > 0) console.log(`  not measured: ${failed.join(', ')}`)
  return failed.length > 0 ? 1 : 0
}

async function writtenBy(name: string): Promise<Comparison[]> {
  const { comparisons }: { comparisons: Comparison[] } = JSON.parse(await readFile(reportPath(name), 'utf8'))
  return comparisons.map((comparison) => ({ ...comparison, what: `${name}: ${comparison.what}` }))
}
