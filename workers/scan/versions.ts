import { Readable } from 'node:stream'
import type { ScannerVersions } from '#tasks/files/scanner.ts'
import { type Address, command } from './connection.ts'
import type { Engine } from './verdict.ts'

/** Names what we look for beside the engine; a change of it has objects scanned again. */
export const heuristicsVersion = '1'

/** How long what was asked is believed, in milliseconds. An older version than is loaded errs to the safe side. */
const believedMs = 2_000

/** The bytes by which the local set tells its version: its signature of them has the version in its name. */
export const probe = 'millrace signature set probe'

const probeName = /^Millrace\.Set\.([0-9a-f]+)/

/** Makes the function that asks clamd which signatures it has loaded. */
export function createVersions(address: Address, engine: Engine): (signal: AbortSignal) => Promise<ScannerVersions> {
  let known: { at: number; versions: ScannerVersions } | undefined
  return async (signal) => {
    if (known && performance.now() - known.at < believedMs) return known.versions
    const at = performance.now()
    const versions = await ask(address, engine, signal)
    known = { at, versions }
    return versions
  }
}

/** `ClamAV 1.4.6/27456/Mon Nov …` names the published set that is loaded; without one there is no slash. */
async function ask(address: Address, engine: Engine, signal: AbortSignal): Promise<ScannerVersions> {
  const [program = '', published] = (await command(address, 'VERSION', signal)).split('/')
  const bytes = Buffer.from(probe)
  const { signature = '' } = await engine.scan(Readable.from([bytes]), bytes.length, signal)
  const local = probeName.exec(signature)?.[1]
  const parts = [...(published ? [`daily.${published}`] : []), ...(local ? [`local.${local}`] : [])]
  return {
    engine: program,
    signatures: parts.join('+') || 'unknown',
    heuristics: heuristicsVersion,
    kind: published ? 'official' : 'test',
  }
}
