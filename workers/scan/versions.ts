import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { ScannerUnavailableError, type ScannerVersions } from '#tasks/files/engine.ts'
import { type Address, version } from './clamd/connection.ts'
import { heuristicsVersion } from './heuristics.ts'
import { missingUnpackers } from './packed/unpacker.ts'
import type { Engine } from './verdict.ts'

/** Bytes that reveal the version of the local set: the name of its signature for these bytes contains the version. */
export const probe = 'millrace signature set probe'

/** A character packed 101 times, once more than the 100 times that clamd unpacks (clamd.conf(5), MaxRecursion). */
const tooDeep = Array.from({ length: 101 }).reduce<Buffer>((packed) => gzipSync(packed), Buffer.from('a letter'))

const probeName = /^Millrace\.Set\.([0-9a-f]+)/

/**
 * Returns the signatures that clamd has loaded. `ClamAV 1.4.6/27456/Mon Nov …` names the published set. If there is no
 * published set, there is no slash. The heuristics version includes missing programs that unpack, so that their files
 * are scanned again after the installation of such a program.
 */
export async function versionsOf(address: Address, engine: Engine, signal: AbortSignal): Promise<ScannerVersions> {
  const [program = '', published] = (await version(address, signal)).split('/')
  const bytes = Buffer.from(probe)
  const [{ signature = '' }] = await Promise.all([
    engine.scan(Readable.from([bytes]), bytes.length, signal),
    demandReportedLimits(engine, signal),
  ])
  const local = probeName.exec(signature)?.[1]
  const parts = [...(published ? [`daily.${published}`] : []), ...(local ? [`local.${local}`] : [])]
  return {
    engine: program,
    signatures: parts.join('+') || 'unknown',
    heuristics: [heuristicsVersion, ...(await missingUnpackers())].join('-without-'),
    kind: published ? 'official' : 'test',
  }
}

/**
 * By default, clamd reports files that exceed its limits as clean, for example large files. Such a clamd cannot be
 * used.
 */
async function demandReportedLimits(engine: Engine, signal: AbortSignal): Promise<void> {
  const { status } = await engine.scanBytes(tooDeep, signal)
  if (status === 'clean')
    throw new ScannerUnavailableError(
      'clamd reports files as clean that exceed its limits: set AlertExceedsMax yes in clamd.conf',
    )
}
