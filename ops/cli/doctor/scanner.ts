import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { type Address, version } from '../../../workers/scan/clamd/connection.ts'
import { missingUnpackers, packageOf } from '../../../workers/scan/packed/unpacker.ts'
import { createScanner } from '../../../workers/scan/scanner.ts'
import { getSocketPath } from '../../embedded/clamd.ts'
import { factsFile } from '../session.ts'
import { type Finding, fault, well } from './finding.ts'

/** Timeout in milliseconds for clamd to respond. It is shorter than the limit of a check. */
const timeoutMs = 4_000

type Settings = Pick<typeof config, 'CLAMD_SOCKET' | 'CLAMD_HOST' | 'CLAMD_PORT' | 'CLAMD_PATH' | 'MILLRACE_DATA'>

export async function checkScanner(settings: Settings = config): Promise<Finding> {
  const { CLAMD_SOCKET: socket, CLAMD_HOST: host, CLAMD_PORT: port, CLAMD_PATH: program } = settings
  if (host) return await ask({ host, port }, `${host}:${port}`)
  if (socket) return await ask({ socket }, socket)
  await access(program, constants.X_OK).catch(() => {
    throw new Error(`the program ${program} is not installed`)
  })
  if (!(await hasStarted(settings.MILLRACE_DATA)))
    return well('clamd', `${program} is installed; no stack has been started here`)
  const embedded = getSocketPath(join(resolve(settings.MILLRACE_DATA), 'clamav'))
  return await ask({ socket: embedded }, embedded).catch((error: Error) =>
    fault('clamd', error.message, 'start the stack: `npm start`'),
  )
}

const hasStarted = (folder: string) =>
  access(factsFile(folder)).then(
    () => true,
    () => false,
  )

async function ask(address: Address, place: string): Promise<Finding> {
  const signal = AbortSignal.timeout(timeoutMs)
  const { kind } = await createScanner(address, config.SCAN_MAX_BYTES)
    .versions(signal)
    .catch((error: Error) => {
      throw signal.aborted ? new Error(`clamd at ${place} is not responding`) : error
    })
  const found = `${await version(address, signal)} at ${place}`
  if (kind === 'official') return well('clamd', found)
  const known = `${found} has only test signatures and does not detect real malware`
  return fault('clamd', known, 'download ClamAV’s signatures: FRESHCLAM, CLAMAV_MIRROR (ingress/files/README.md)')
}

/**
 * Checks the programs that unpack 7z, RAR, CAB, xz, bzip2 and similar formats. Without these programs, such files are
 * unscannable.
 */
export async function checkUnpackers(): Promise<Finding> {
  const missing = await missingUnpackers()
  if (missing.length === 0) return well('unpackers', `${Object.keys(packageOf).join(', ')} are installed`)
  const packages = missing.map((program) => packageOf[program])
  return fault('unpackers', `missing: ${missing.join(', ')}`, `install ${packages.join(' and ')}`)
}
