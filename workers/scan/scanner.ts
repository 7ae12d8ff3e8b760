import type { Scanner } from '#tasks/files/engine.ts'
import { createClamd } from './clamd/clamd.ts'
import type { Address } from './clamd/connection.ts'
import { examine } from './examine.ts'
import { versionsOf } from './versions.ts'

export function createScanner(address: Address, maxBytes: number): Scanner {
  const engine = createClamd(address, maxBytes)
  return {
    versions: (signal) => versionsOf(address, engine, signal),
    examine: (file, { signal }) => examine(file, engine, { signal, limits: { entrySize: maxBytes } }),
  }
}
