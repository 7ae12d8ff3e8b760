import { createReadStream } from 'node:fs'
import type { Examination, ExaminedFile, Scanner } from '#tasks/files/scanner.ts'
import { createClamd } from './clamd.ts'
import type { Address } from './connection.ts'
import type { Engine } from './verdict.ts'
import { createVersions } from './versions.ts'

/** Makes the scanner on a clamd that takes at most `maxBytes` of one file. */
export async function createScanner(address: Address, maxBytes: number): Promise<Scanner> {
  const engine = await createClamd(address, maxBytes)
  return {
    versions: createVersions(address, engine),
    examine: (file, { signal }) => examineWhole(file, engine, signal),
  }
}

async function examineWhole(file: ExaminedFile, engine: Engine, signal: AbortSignal): Promise<Examination> {
  const { status, signature } = await engine.scan(createReadStream(file.path), file.size, signal)
  if (status === 'error') throw new Error(`clamd could not scan the file: ${signature}`)
  const reasons = signature ? [{ code: 'signature', detail: signature }] : []
  return { status, sniffedType: null, reasons }
}
