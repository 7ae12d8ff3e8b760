import { access, constants, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { socketOf } from './embedded/clamd.ts'
import * as parts from './parts.ts'
import type { Part } from './supervise.ts'

/** What workers must know of the scanner that was started, and what its user must. */
export interface StartedScanner {
  env: Record<string, string>
  /** There is none. */
  off?: boolean
  notice?: string
}

const missing =
  'no malware scanner: files are accepted and wait unscanned. Install clamav-daemon, or set CLAMD_SOCKET or CLAMD_HOST.'

const testsOnly =
  'the malware scanner knows test files only, and no real malware, until it has fetched ClamAV’s signatures.'

/**
 * Starts the embedded malware scanner, and what fetches its signatures, unless the environment names one. Nothing waits for
 * them: what is to be scanned does.
 */
export async function startScanner(data: string, launch: (...group: Part[]) => void): Promise<StartedScanner> {
  if (config.CLAMD_SOCKET || config.CLAMD_HOST) return { env: {} }
  if (!(await isProgram(config.CLAMD_PATH))) return { env: {}, off: true, notice: missing }
  const dir = join(data, 'clamav')
  const options = {
    program: config.CLAMD_PATH,
    dir,
    maxBytes: config.SCAN_MAX_BYTES,
    // One more than scans, for the questions in between.
    threads: config.SCAN_CONCURRENCY + 1,
  }
  launch(parts.clamd(options))
  const freshclam = config.FRESHCLAM ? await find('freshclam') : undefined
  if (freshclam) launch(parts.freshclam(freshclam, dir))
  const env = { CLAMD_SOCKET: socketOf(dir) }
  return (await hasOfficial(join(dir, 'signatures'))) ? { env } : { env, notice: testsOnly }
}

/** Whether what ClamAV publishes has been fetched here before. */
async function hasOfficial(signatures: string): Promise<boolean> {
  const names = await readdir(signatures).catch((): string[] => [])
  return names.some((name) => /^(main|daily)\.c[vl]d$/.test(name))
}

async function find(name: string): Promise<string | undefined> {
  for (const folder of ['/usr/bin', '/usr/local/bin', '/usr/sbin']) {
    if (await isProgram(join(folder, name))) return join(folder, name)
  }
  return undefined
}

const isProgram = async (path: string): Promise<boolean> =>
  await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
