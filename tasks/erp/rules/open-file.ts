import { pipeline, Readable } from 'node:stream'
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { ImportError } from './import-error.ts'
import { findDataEntry, type RangedFile, type ZipEntry } from './zip-entry.ts'

const mostBytes = 20 * 2 ** 30

/**
 * Maximum number of unpacked bytes per packed byte, after the first `freely` bytes. Register files have 10 to 30, zip
 * bombs a thousand.
 */
const mostRatio = 200
const freely = 16 * 2 ** 20

/**
 * Unpacks a register file while it is read. `tell` receives the number of packed bytes that were read. Throws
 * `ImportError`.
 */
export async function* openFile(file: RangedFile, tell: (bytes: number) => void = () => {}): AsyncGenerator<Buffer> {
  if (file.bytes === 0) throw new ImportError('The file is empty.')
  const head = (await headOf(file)).toString('latin1')
  try {
    if (head === 'PK\u0003\u0004' || head === 'PK\u0005\u0006') yield* unzipped(file, await findDataEntry(file), tell)
    else {
      const bytes = counted(await file.read(0, file.bytes), tell)
      const isGzip = head.startsWith('\u001f\u008b')
      yield* isGzip
        ? bounded(
            pipeline(Readable.from(bytes), createGunzip(), () => {}),
            file.bytes,
          )
        : bytes
    }
  } catch (error) {
    throw isUnpacking(error) ? new ImportError('The gzip or zip data is damaged or incomplete.') : error
  }
}

async function* unzipped(file: RangedFile, entry: ZipEntry, tell: (bytes: number) => void): AsyncGenerator<Buffer> {
  const { from, to, method } = entry
  if (to > from) {
    const packed = counted(await file.read(from, to), tell)
    const plain =
      method === 'stored'
        ? packed
        : (pipeline(Readable.from(packed), createInflateRaw(), () => {}) as AsyncIterable<Buffer>)
    let sum = 0
    for await (const chunk of bounded(plain, to - from)) {
      sum = crc32(chunk, sum)
      yield chunk
    }
    if (sum !== entry.crc32) throw new ImportError('The zip archive is damaged: the checksum of its file is wrong.')
  }
}

async function* counted(bytes: AsyncIterable<Buffer>, tell: (bytes: number) => void): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    tell(length)
    yield chunk
  }
}

async function* bounded(bytes: AsyncIterable<Buffer>, packed: number): AsyncGenerator<Buffer> {
  const most = Math.min(mostBytes, freely + mostRatio * packed)
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > most) throw new ImportError(`The unpacked file is larger than ${most} bytes.`)
    yield chunk
  }
}

async function headOf(file: RangedFile): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await file.read(0, Math.min(4, file.bytes))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const isUnpacking = (error: unknown) => error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
