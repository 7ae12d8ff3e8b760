import type { Scanner } from '#tasks/files/scanner.ts'
import { createClamd } from './clamd.ts'
import type { Address } from './connection.ts'
import { examine } from './examine.ts'
import { createVersions } from './versions.ts'

/** Makes the scanner on a clamd that takes at most `maxBytes` of one file. */
export async function createScanner(address: Address, maxBytes: number): Promise<Scanner> {
  const engine = await createClamd(address, maxBytes)
  return {
    versions: createVersions(address, engine),
    examine: (file, { signal }) => examine(file, engine, { signal, limits: { entrySize: maxBytes } }),
  }
}
