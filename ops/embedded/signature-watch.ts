import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { command } from '../../workers/scan/clamd/connection.ts'
import { prepareSignatures, socketOf } from './clamd.ts'
import { filesBeside } from './signatures.ts'

/**
 * Has an embedded clamd load what freshclam, or somebody, puts into its folder of signatures, under a version of its own, so that
 * what was judged without is scanned again. Looks every few milliseconds as told, until `stop`, and waits for a look that finds
 * nothing new: over each loading clamd answers nobody. Called before clamd is started, so that no file comes unseen in between.
 */
export async function watchSignatures(dir: string, stop: AbortSignal, everyMs = 5_000): Promise<void> {
  void follow(dir, await stateOf(dir), stop, everyMs)
}

async function follow(dir: string, first: string, stop: AbortSignal, everyMs: number): Promise<void> {
  let [loaded, seen] = [first, first]
  while (!stop.aborted) {
    await pause(everyMs, undefined, { signal: stop }).catch(() => {})
    const now = await stateOf(dir)
    const isSettled = now === seen
    seen = now
    if (!stop.aborted && isSettled && now !== loaded && (await load(dir))) loaded = now
  }
}

/** Whether clamd could be told; it is asked again otherwise, as one that is starting may have looked at the folder before. */
async function load(dir: string): Promise<boolean> {
  try {
    await prepareSignatures(dir)
    return (await command({ socket: socketOf(dir) }, 'RELOAD')) === 'RELOADING'
  } catch {
    return false
  }
}

/** What is in the folder: another text for anything else. */
async function stateOf(dir: string): Promise<string> {
  const files = await filesBeside(join(resolve(dir), 'signatures')).catch(() => [])
  return files.map(({ state }) => state).join('\n')
}
