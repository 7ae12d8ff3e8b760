import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CannotMeasure } from '../benchmark.ts'

const execute = promisify(execFile)

/** Returns the version of clamdscan. Throws `CannotMeasure` if it is not installed. */
export async function clamdscanVersion(): Promise<string> {
  try {
    return (await execute('clamdscan', ['--version'])).stdout.trim()
  } catch (error) {
    throw new CannotMeasure('clamdscan is not installed. Install the package clamdscan to compare with it.', {
      cause: error,
    })
  }
}

/** Streams all files to clamd with one clamdscan, one after another. Returns the seconds. */
export async function clamdscanAll(paths: readonly string[], configuration: string): Promise<number> {
  const begun = performance.now()
  await execute('clamdscan', ['--config-file', configuration, '--stream', '--no-summary', ...paths])
  return (performance.now() - begun) / 1000
}

/** Runs one clamdscan per file, `atOnce` in parallel. Returns the seconds. */
export async function clamdscanAtOnce(
  paths: readonly string[],
  configuration: string,
  atOnce: number,
): Promise<number> {
  const waiting = [...paths]
  const scanNext = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      await clamdscanAll([path], configuration)
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: atOnce }, scanNext))
  return (performance.now() - begun) / 1000
}
