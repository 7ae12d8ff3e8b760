import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Examination } from '#tasks/files/engine.ts'
import { examine } from '../../workers/scan/examine.ts'
import type { Engine, Limits } from '../../workers/scan/verdict.ts'
import { eicar } from './archives.ts'

/** An engine that reads few bytes as it reads a stream, and opens no files. */
export const engineOf = (scan: Engine['scan']): Engine => ({
  scan,
  scanBytes: (bytes, signal) => scan(Readable.from([bytes], { objectMode: false }), bytes.length, signal),
  scanFile: async () => null,
})

/** An engine that knows EICAR where it stands plainly, and calls everything else clean. */
export const standIn: Engine = engineOf(async (bytes) => {
  let kept: Buffer = Buffer.alloc(0)
  let found = false
  await pipeline(bytes, async (chunks) => {
    for await (const chunk of chunks) {
      const seen = Buffer.concat([kept, chunk as Buffer])
      found ||= seen.includes(eicar)
      kept = seen.subarray(Math.max(0, seen.length - eicar.length))
    }
  })
  return found ? { status: 'infected', signature: 'Eicar-Test-Signature' } : { status: 'clean' }
})

/** What may be said of a file for its examination. */
export interface Upload {
  bytes: Buffer | string
  name?: string
  type?: string
  limits?: Partial<Limits>
  signal?: AbortSignal
  /** Where the programs that unpack are looked for. */
  searchPath?: string
}

/** Examines bytes as a file in a folder, with the stand-in unless another engine is given. */
export async function examineBytes(folder: string, upload: Upload, engine = standIn): Promise<Examination> {
  const bytes = Buffer.from(upload.bytes)
  const path = join(folder, `upload-${Math.random().toString(36).slice(2)}`)
  await writeFile(path, bytes)
  const { name = 'upload.bin', type: declaredType = 'application/octet-stream', limits = {} } = upload
  const searched = upload.searchPath === undefined ? {} : { searchPath: upload.searchPath }
  const signal = upload.signal ?? new AbortController().signal
  try {
    return await examine({ path, size: bytes.length, name, declaredType }, engine, { signal, limits, ...searched })
  } finally {
    await rm(path)
  }
}
