import { createHash } from 'node:crypto'
import { type Exchange, respondXml } from '../exchange.ts'
import { readNumber } from '../protocol/call.ts'
import { type Algorithm, startChecksum } from '../protocol/checksums.ts'
import { checkCopy } from '../protocol/conditions.ts'
import { readSource, readSourceRange } from '../protocol/copy-source.ts'
import { S3Error } from '../protocol/errors.ts'
import type { Range } from '../protocol/range.ts'
import type { Blobs } from '../storage/blobs.ts'
import * as objects from '../storage/objects.ts'
import * as uploads from '../storage/uploads.ts'
import { checkBucket } from './buckets.ts'
import { largestPut } from './put-object.ts'
import { checksumElement } from './stored-headers.ts'

/**
 * Stores an object or a range of it as a part of an upload. Clients copy objects larger than 8 MiB or 5 GiB in this
 * way.
 */
export async function copyPart(exchange: Exchange): Promise<void> {
  const { call, store } = exchange
  const number = readNumber('partNumber', call.query.get('partNumber') ?? '', 1, 10_000)
  const id = call.query.get('uploadId') ?? ''
  const { algorithm } = uploads.findOpen(store, call, id)
  const { source, range } = findSource(exchange)
  const segments = objects.segments(store, source.id, range.start, range.end)
  const release = store.blobs.hold(segments.map(({ blob }) => blob))
  try {
    const digests = new Digests(algorithm)
    const part = await store.blobs.write(digests.pass(read(store.blobs, segments, range)), async (blob) => {
      const made = { number, size: range.end - range.start, modified: Date.now(), ...digests.finish(), blob }
      await uploads.putPart(store, call, id, made)
      return made
    })
    await respondXml(exchange, 'CopyPartResult', {
      LastModified: new Date(part.modified).toISOString(),
      ETag: `"${part.etag}"`,
      ...checksumElement(algorithm, part.checksum),
    })
  } finally {
    release()
  }
}

function findSource(exchange: Exchange): { source: objects.StoredObject; range: Range } {
  const { call, store } = exchange
  const from = readSource(call.headers.get('x-amz-copy-source') ?? '')
  checkBucket(exchange, from.bucket)
  const source = objects.find(store, from)
  if (!source) throw new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key: from.key } })
  checkCopy(call.headers, source)
  const range = readSourceRange(call.headers.get('x-amz-copy-source-range'), source.size)
  if (range.end - range.start > largestPut)
    throw new S3Error('InvalidRequest', 'The specified copy source is larger than the maximum allowable size of 5 GiB.')
  return { source, range }
}

const bufferSize = 1 << 18

async function* read(
  blobs: Blobs,
  segments: readonly objects.Segment[],
  { start, end }: Range,
): AsyncGenerator<Buffer> {
  for (const segment of segments) {
    const file = await blobs.read(segment.blob)
    try {
      let at = Math.max(start - segment.start, 0)
      const stop = Math.min(end - segment.start, segment.size)
      while (at < stop) {
        // Allocates a new buffer each time, because the previous buffer can still be written to disk.
        const buffer = Buffer.allocUnsafeSlow(Math.min(bufferSize, stop - at))
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
        if (bytesRead === 0) throw new Error(`blob ${segment.blob} is shorter than the ledger says`)
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await file.close()
    }
  }
}

class Digests {
  readonly #md5 = createHash('md5')
  readonly #checksum

  constructor(algorithm: Algorithm | undefined) {
    this.#checksum = algorithm && startChecksum(algorithm)
  }

  async *pass(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      this.#md5.update(chunk)
      this.#checksum?.update(chunk)
      yield chunk
    }
  }

  finish(): { etag: string; checksum: string | null } {
    return { etag: this.#md5.digest('hex'), checksum: this.#checksum?.digest().toString('base64') ?? null }
  }
}
