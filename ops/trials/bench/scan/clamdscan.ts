import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CannotMeasureError } from '../benchmark.ts'

const execute = promisify(execFile)

export async function getClamdscanVersion(): Promise<string> {
  try {
    return (await execute('clamdscan', ['--version'])).stdout.trim()
  } catch (error) {
    throw new CannotMeasureError('clamdscan is not installed. Install the package clamdscan to compare with it.', {
      cause: error,
    })
  }
}

export async function runClamdscan(paths: readonly string[], configuration: string): Promise<number> {
  const begun = performance.now()
  await execute('clamdscan', ['--config-file', configuration, '--stream', '--no-summary', ...paths])
  return (performance.now() - begun) / 1000
}

export async function runParallelClamdscans(
  paths: readonly string[],
  configuration: string,
  atOnce: number,
): Promise<number> {
  const waiting = [...paths]
  const scanNext = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      await runClamdscan([path], configuration)
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: atOnce }, scanNext))
  return (performance.now() - begun) / 1000
}
