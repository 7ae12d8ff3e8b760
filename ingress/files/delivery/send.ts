import { buffer } from 'node:stream/consumers'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { notFound } from '#lib/errors.ts'
import type { ByteRange } from '#lib/storage/object-streams.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { problem } from '../../http/problem-kinds.ts'
import { getClientSignal } from '../../http/request/client-gone.ts'
import { hasDemandedVersion, isNotModified, selectRange, type Validators } from './conditions.ts'
import { countSent } from './meter.ts'

/** Content of the store, unchanged. The bytes under a key never change. */
export interface StoredContent extends Validators {
  key: string
  bytes: number
}

/** Largest content that is kept in memory, and size of the memory, in bytes. */
const [maxKept, keptBytes] = [256 * 1024, 64 * 1024 ** 2]

const kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: (bytes) => bytes.length + 200 })

export const preconditionFailed = problem(412, 'precondition_failed', 'The file is not the version in `If-Match`.')

/** Answers a request for content: conditions (RFC 9110 §13), one part, or everything. The headers of the type are set. */
export async function sendStored(ctx: Context, storage: Storage, content: StoredContent): Promise<void> {
  const header = (name: string) => ctx.get(name) || undefined
  if (!hasDemandedVersion(header, content)) throw preconditionFailed(preconditionFailed.when)
  if (isNotModified(header, content)) return sendNotModified(ctx, content)
  const range = selectRange(header, content, content.bytes)
  if (range === 'unsatisfiable') return refuseRange(ctx, content.bytes)
  // The headers are set after the read, because they must not be part of an error response.
  if (ctx.method !== 'HEAD') {
    const body = await read(ctx, storage, content, range)
    countSent(ctx.res, body)
    ctx.body = body
  }
  setValidators(ctx, content)
  ctx.status = range ? 206 : 200
  if (range) ctx.set('content-range', `bytes ${range.from}-${range.to}/${content.bytes}`)
  ctx.length = range ? range.to - range.from + 1 : content.bytes
}

function setValidators(ctx: Context, { etag, modified }: Validators): void {
  ctx.set('etag', etag)
  ctx.set('last-modified', modified.toUTCString())
  ctx.set('accept-ranges', 'bytes')
}

function sendNotModified(ctx: Context, content: StoredContent): void {
  setValidators(ctx, content)
  ctx.status = 304
}

function refuseRange(ctx: Context, bytes: number): void {
  ctx.set('content-range', `bytes */${bytes}`)
  ctx.set('cache-control', 'no-store')
  ctx.status = 416
  ctx.body = ''
}

async function read(ctx: Context, storage: Storage, { key, bytes }: StoredContent, range: ByteRange | null) {
  if (bytes === 0) return Buffer.alloc(0)
  const signal = getClientSignal(ctx.res)
  if (bytes <= maxKept) {
    const whole = kept.get(key) ?? (await readSmall(storage, key, signal))
    kept.set(key, whole)
    return range ? whole.subarray(range.from, range.to + 1) : whole
  }
  const stream = await storage.streams.open(key, signal, range ?? undefined)
  if (!stream) throw notFound('file')
  return stream
}

async function readSmall(storage: Storage, key: string, signal: AbortSignal): Promise<Buffer> {
  const stream = await storage.streams.open(key, signal)
  if (!stream) throw notFound('file')
  return await buffer(stream)
}
