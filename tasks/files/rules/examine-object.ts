import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { Later } from '#lib/errors.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { FileObject } from '#sql/files/objects.ts'
import type { Scratch } from '../../video/pools.ts'
import type { Examination, Scanner } from '../engine.ts'
import { fetchHashed, type HashedObject, readHashed } from './fetch-hashed.ts'

/** Maximum duration in milliseconds of the scan of a file of 50 GiB, at 4 MB/s. */
export const largeScanMs = 4 * 60 * 60_000

/** Maximum duration in milliseconds of the scan of a file that is scanned completely. */
const usualScanMs = 30 * 60_000

/** Delay in milliseconds while the worker scans another large file. */
const busyMs = 15_000

export interface ExaminedObject extends AsyncDisposable {
  /** `null` if the object does not exist in storage. */
  fetched: HashedObject | null
  examine(): Promise<Examination>
}

interface Tools {
  scanner: Scanner
  scratch: Pick<Scratch, 'attempt'>
  storage: Storage
  signal: AbortSignal
}

/**
 * Reads and hashes the bytes of an object for its examination. Files up to `SCAN_MAX_BYTES` are copied to the disk. Larger
 * files are examined while they are read, one per worker.
 */
export async function examineObject(tools: Tools, object: FileObject): Promise<ExaminedObject> {
  return object.byte_size > config.SCAN_MAX_BYTES
    ? await examineLarge(tools, object)
    : await examineCopy({ ...tools, signal: AbortSignal.any([tools.signal, AbortSignal.timeout(usualScanMs)]) }, object)
}

async function examineCopy({ scanner, scratch, storage, signal }: Tools, object: FileObject): Promise<ExaminedObject> {
  const folder = await scratch.attempt(2 * object.byte_size)
  try {
    const path = join(folder.path, 'object')
    const fetched = await fetchHashed(storage, object.held_key, path, signal)
    return {
      fetched,
      examine: () => scanner.examine({ path, ...factsOf(object) }, { signal }),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

let isBusy = false

async function examineLarge({ scanner, storage, signal }: Tools, object: FileObject): Promise<ExaminedObject> {
  if (isBusy) throw new Later(busyMs, 'This worker is scanning another large file.')
  isBusy = true
  try {
    using read = await readHashed(storage, object.held_key, signal)
    const found = read && (await scanner.examineStream(factsOf(object), read.bytes, { signal }))
    return {
      fetched: read && (await read.rest()),
      examine: async () => found as Examination,
      [Symbol.asyncDispose]: async () => {},
    }
  } finally {
    isBusy = false
  }
}

const factsOf = ({ byte_size: size, filename: name, content_type: declaredType }: FileObject) => ({
  size,
  name,
  declaredType,
})
