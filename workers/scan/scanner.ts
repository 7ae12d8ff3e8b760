import type { Scanner } from '#tasks/files/engine.ts'
import { createClamd } from './clamd/clamd.ts'
import type { Address } from './clamd/connection.ts'
import { examine } from './examine.ts'
import { examineStream, usualWindows } from './examine-stream.ts'
import { versionsOf } from './versions.ts'

/**
 * Creates the scanner of a clamd. `acceptsLarge` means that a file above `maxBytes` can be clean although it was scanned
 * only in windows.
 */
export function createScanner(address: Address, maxBytes: number, acceptsLarge = false): Scanner {
  const engine = createClamd(address, maxBytes)
  const windows = usualWindows(maxBytes)
  return {
    async versions(signal) {
      const now = await versionsOf(address, engine, signal)
      // Files are scanned again when the policy changes.
      return acceptsLarge ? { ...now, heuristics: `${now.heuristics}-with-large` } : now
    },
    examine: (file, { signal }) => examine(file, engine, { signal, limits: { entrySize: maxBytes } }),
    examineStream: (file, bytes, { signal }) => examineStream(file, bytes, engine, { signal, windows, acceptsLarge }),
  }
}
