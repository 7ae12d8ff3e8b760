import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sendCommand } from '../../workers/scan/clamd/connection.ts'
import { getSocketPath, prepareSignatures } from './clamd.ts'
import { listOtherSignatures } from './signatures.ts'

/**
 * Loads new signatures in the folder of an embedded clamd under a new version, so that files that were scanned without
 * them are scanned again. Checks at the given interval until `stop`. Waits for a check without changes, because clamd
 * does not respond while it loads. Call it before clamd starts, so that no file is missed.
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

/**
 * Returns true if clamd received the request. Otherwise the request is repeated, because a starting clamd can have read
 * the folder before.
 */
async function load(dir: string): Promise<boolean> {
  try {
    await prepareSignatures(dir)
    return (await sendCommand({ socket: getSocketPath(dir) }, 'RELOAD')) === 'RELOADING'
  } catch {
    return false
  }
}

async function stateOf(dir: string): Promise<string> {
  const files = await listOtherSignatures(join(resolve(dir), 'signatures')).catch(() => [])
  return files.map(({ state }) => state).join('\n')
}
