import { hostname } from 'node:os'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as scanners from '#sql/files/scanners.ts'
import type { Scanner } from '#tasks/files/engine.ts'

const beatMs = 5_000

export function startHeartbeat(db: DatabasePool, scanner: Scanner): () => Promise<void> {
  const name = `${hostname()} ${process.pid}`
  let reported: scanners.Scanner['state'] | undefined
  const beat = async () => {
    const { why, ...now } = await look(name, scanner)
    if (now.state !== reported) tell(now, why, reported !== undefined)
    reported = now.state
    await scanners.upsert(db, now)
  }
  const failed = (error: Error) => log.debug({ err: error.message }, 'scanner state could not be written')
  const first = beat().catch(failed)
  const beating = runEvery(beatMs, beat, failed).unref()
  return async () => {
    await Promise.all([first, beating.stop()])
  }
}

async function look(name: string, scanner: Scanner): Promise<scanners.Scanner & { why?: string }> {
  try {
    const { engine, signatures, kind } = await scanner.versions(AbortSignal.timeout(beatMs))
    return { name, state: 'up', engine, signature_version: signatures, signatures: kind }
  } catch (error) {
    const why = (error as Error).message
    return { name, state: 'away', engine: null, signature_version: null, signatures: null, why }
  }
}

/** A worker can start before clamd, so this case needs no warning. */
function tell(
  { state, signatures, signature_version }: scanners.Scanner,
  why: string | undefined,
  wasKnown: boolean,
): void {
  const about = { signature_version, signatures }
  if (state === 'up') log.info(about, 'clamd is available')
  else if (wasKnown) log.warn({ why }, 'clamd is unavailable: scans are waiting, and no file passes without a scan')
  else log.info({ why }, 'waiting for clamd')
}
