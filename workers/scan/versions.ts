import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { ScannerAway, type ScannerVersions } from '#tasks/files/engine.ts'
import { type Address, version } from './clamd/connection.ts'
import { heuristicsVersion } from './heuristics.ts'
import { missingUnpackers } from './packed/unpacker.ts'
import type { Engine } from './verdict.ts'

/** The bytes by which the local set tells its version: its signature of them has the version in its name. */
export const probe = 'millrace signature set probe'

/** A letter packed once more than the 100 times that clamd unpacks at most (clamd.conf(5), MaxRecursion). */
const tooDeep = Array.from({ length: 101 }).reduce<Buffer>((packed) => gzipSync(packed), Buffer.from('a letter'))

const probeName = /^Millrace\.Set\.([0-9a-f]+)/

/**
 * Asks clamd which signatures it has loaded. `ClamAV 1.4.6/27456/Mon Nov …` names the published set; without one there is no
 * slash. What is not unpacked for want of a program is scanned again once that is there, for the version of the heuristics says so.
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

/** By default clamd calls clean what its limits keep it from reading, large files among it: such a one is no scanner. */
async function demandReportedLimits(engine: Engine, signal: AbortSignal): Promise<void> {
  const { status } = await engine.scanBytes(tooDeep, signal)
  if (status === 'clean')
    throw new ScannerAway('clamd reports files as clean that exceed its limits: set AlertExceedsMax yes in clamd.conf')
}
