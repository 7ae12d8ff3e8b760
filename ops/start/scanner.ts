import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { getSocketPath } from '../embedded/clamd.ts'
import { watchSignatures } from '../embedded/signature-watch.ts'
import { hasClamavSignatures } from '../embedded/signatures.ts'
import { isProgram } from '../program.ts'
import * as parts from './parts.ts'
import type { Part } from './supervise.ts'

export interface StartedScanner {
  env: Record<string, string>
  off?: boolean
  notice?: string
}

const missing =
  'no malware scanner: files are accepted and queued for a scan. Install clamav-daemon, or set CLAMD_SOCKET or CLAMD_HOST.'

const testsOnly =
  'the malware scanner recognises only test files, not real malware, until it has downloaded ClamAV’s signatures.'

const noUpdates = 'freshclam is not installed: the malware scanner gets no signatures. Install clamav-freshclam.'

/**
 * Starts the embedded malware scanner and its signature updates, unless the environment sets another scanner. The start
 * does not wait for the scanner, but scans do.
 */
export async function startScanner(
  data: string,
  launch: (...group: Part[]) => void,
  stop: AbortSignal,
): Promise<StartedScanner> {
  if (config.CLAMD_SOCKET || config.CLAMD_HOST) return { env: {} }
  if (!(await isProgram(config.CLAMD_PATH))) return { env: {}, off: true, notice: missing }
  const dir = join(data, 'clamav')
  const options = {
    program: config.CLAMD_PATH,
    dir,
    maxBytes: config.SCAN_MAX_BYTES,
    threads: config.SCAN_CONCURRENCY + 1,
  }
  await watchSignatures(dir, stop)
  launch(parts.clamd(options))
  const { FRESHCLAM: published, CLAMAV_MIRROR: mirror, CLAMAV_SIGNATURE_URLS: urls } = config
  const isWanted = published || urls.length > 0
  const program = isWanted ? await find('freshclam') : undefined
  if (program) launch(parts.freshclam({ program, dir, published, mirror, urls }))
  const env = { CLAMD_SOCKET: getSocketPath(dir) }
  if (isWanted && !program) return { env, notice: noUpdates }
  return (await hasClamavSignatures(join(dir, 'signatures'))) ? { env } : { env, notice: testsOnly }
}

async function find(name: string): Promise<string | undefined> {
  for (const folder of ['/usr/bin', '/usr/local/bin', '/usr/sbin']) {
    if (await isProgram(join(folder, name))) return join(folder, name)
  }
  return undefined
}
