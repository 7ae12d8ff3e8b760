import { access, constants } from 'node:fs/promises'
import { config } from '#lib/config.ts'
import { command } from '../../workers/scan/clamd/connection.ts'
import { createScanner } from '../../workers/scan/index.ts'
import { missingUnpackers, packageOf } from '../../workers/scan/packed/unpacker.ts'
import { type Finding, fault, well } from './finding.ts'

/** How long clamd may take to tell what it knows, in milliseconds. */
const patienceMs = 5_000

/** Whether there is a clamd to scan with: the one that the environment names answers as it must, or the program of the embedded one is there. */
export async function scanner(): Promise<Finding> {
  const { CLAMD_SOCKET: socket, CLAMD_HOST: host, CLAMD_PORT: port, CLAMD_PATH: program } = config
  const address = host ? { host, port } : socket ? { socket } : undefined
  if (address) {
    await createScanner(address, config.SCAN_MAX_BYTES).versions(AbortSignal.timeout(patienceMs))
    return well('clamd', `${await command(address, 'VERSION')} at ${host ?? socket}`)
  }
  await access(program, constants.X_OK).catch(() => {
    throw new Error(`there is no program ${program}`)
  })
  return well('clamd', `${program} is there`)
}

/** Whether there are the programs by which the scanner looks into 7z, RAR, CAB, xz, bzip2 and the like, which are unscannable without. */
export async function unpackers(): Promise<Finding> {
  const missing = await missingUnpackers()
  if (missing.length === 0) return well('unpackers', `${Object.keys(packageOf).join(', ')} are there`)
  const packages = missing.map((program) => packageOf[program])
  return fault('unpackers', `there is no ${missing.join(' and no ')}`, `install ${packages.join(' and ')}`)
}
