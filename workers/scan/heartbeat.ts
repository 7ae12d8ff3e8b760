import { hostname } from 'node:os'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as scanners from '#sql/files/scanners.ts'
import type { Scanner } from '#tasks/files/scanner.ts'

/** How often the state of the scanner is written down, in milliseconds. */
const beatMs = 5_000

/** Writes down, for health and console, whether this process's scanner is up and what it knows; never ends. */
export function startHeartbeat(db: DatabasePool, scanner: Scanner): void {
  const name = `${hostname()} ${process.pid}`
  let told: scanners.Scanner['state'] | undefined
  const beat = async () => {
    const now = await look(name, scanner)
    if (now.state !== told) tell(now)
    told = now.state
    await scanners.note(db, now)
  }
  const beating = () => beat().catch((error: Error) => log.debug({ err: error.message }, 'scanner state not written'))
  void beating()
  setInterval(beating, beatMs).unref()
}

async function look(name: string, scanner: Scanner): Promise<scanners.Scanner> {
  try {
    const { engine, signatures, kind } = await scanner.versions(AbortSignal.timeout(beatMs))
    return { name, state: 'up', engine, signature_version: signatures, signatures: kind }
  } catch {
    return { name, state: 'away', engine: null, signature_version: null, signatures: null }
  }
}

function tell({ state, signatures, signature_version }: scanners.Scanner): void {
  if (state === 'away') log.warn('clamd is away; scans wait for it, and nothing passes unscanned')
  else if (signatures === 'test')
    log.warn({ signature_version }, 'clamd has test signatures only: real malware is not recognised')
  else log.info({ signature_version }, 'clamd is there')
}
