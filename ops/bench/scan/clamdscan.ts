import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Which clamdscan there is; throws when there is none. */
export async function clamdscanVersion(): Promise<string> {
  try {
    return (await execute('clamdscan', ['--version'])).stdout.trim()
  } catch (error) {
    throw new Error('There is no clamdscan to compare with: install the package clamdscan.', { cause: error })
  }
}

/** The limit: each file streamed to clamd by a clamdscan of its own, `atOnce` at a time; returns the seconds of all. */
export async function clamdscanAll(paths: readonly string[], configuration: string, atOnce: number): Promise<number> {
  const waiting = [...paths]
  const scanNext = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      await execute('clamdscan', ['--config-file', configuration, '--stream', '--no-summary', path])
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: atOnce }, scanNext))
  return (performance.now() - begun) / 1000
}
