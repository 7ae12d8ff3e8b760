import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { printTable, readReport } from './report.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

/**
 * `npm run bench -- all`: runs each benchmark in its own process, one after another, and prints one table of all
 * comparisons. The table also has the last results of `notRun`. Lists benchmarks that could not run below it.
 * @returns the exit status: 1 if a benchmark could not run.
 */
export async function runAllBenchmarks(names: readonly string[], notRun: readonly string[]): Promise<number> {
  const failed: string[] = []
  for (const name of names) {
    const child = spawn(process.execPath, [main, name], { stdio: 'inherit' })
    const [status] = await once(child, 'exit')
    if (status !== 0) failed.push(name)
  }
  await printResults([...names, ...notRun].filter((name) => !failed.includes(name)))
  if (failed.length > 0) console.log(`  not measured: ${failed.join(', ')}`)
  return failed.length > 0 ? 1 : 0
}

/** `npm run bench -- results`: prints one table of the last results of each benchmark, and runs nothing. */
export async function printResults(names: readonly string[]): Promise<void> {
  const reports = (await Promise.all(names.map(readReport))).filter((report) => report !== undefined)
  printTable(
    'all',
    reports.flatMap(({ name, comparisons }) =>
      comparisons.map((comparison) => ({ ...comparison, what: `${name}: ${comparison.what}` })),
    ),
  )
  for (const { name, at } of reports) console.log(`  ${name}: measured at ${at}`)
}
