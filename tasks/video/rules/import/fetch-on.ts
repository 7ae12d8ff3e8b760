import type { OutboundStream } from '#lib/http.ts'
import * as plans from '#sql/account/plans.ts'
import * as imports from '#sql/video/imports.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import type { Tools } from '../../../pools.ts'
import type { Attempt } from '../../../queue/task.ts'
import { admit } from './admit.ts'
import { ImportFault, requireBytes, TransientFetchError } from './fault.ts'
import { type PaceWatch, watchPace } from './pace.ts'
import { headersFor, partBytesFor, readSourceFile, type SourceFile } from './resume.ts'

type Means = Pick<Attempt & Tools['web'], 'db' | 'outbound' | 'storage' | 'signal' | 'own' | 'progress'>

/**
 * Maximum duration of a connection, and duration after which a resumable connection gives its slot to others, in
 * milliseconds.
 */
const [longestMs, turnMs] = [55 * 60_000, 60_000]

const redirects = 5

/** Maximum number of changes of the file during an import. */
const mostRestarts = 5

/** Downloads the missing bytes part by part. Returns true when all bytes are in storage. */
export async function continueImport(work: imports.Import, means: Means): Promise<boolean> {
  if (work.whole) return true
  const { db, outbound, signal } = means
  const pace = watchPace(signal)
  const plan = await plans.findForOrganisation(db, work.org_id)
  const options = {
    headers: headersFor(work),
    timeout: longestMs,
    // One byte more than allowed, so that the error can contain the actual size.
    maxBytes: plan.upload_bytes + 1,
    redirects,
    signal: pace.signal,
  }
  try {
    return await outbound.stream(work.url, options, (answer) => take(work, answer, pace, means))
  } finally {
    pace.stop()
  }
}

async function take(work: imports.Import, answer: OutboundStream, pace: PaceWatch, means: Means): Promise<boolean> {
  const { asset_id: assetId } = work
  if (answer.status === 416 && work.received > 0) {
    await restart(work, { from: 0, total: null, validator: null }, means)
    throw new TransientFetchError('The file at the URL is shorter than before.')
  }
  requireBytes(answer.status, answer.headers)
  const whole = readSourceFile(answer.status, answer.headers)
  const begun = await begin(work, whole, means)
  const { storage, own, progress, signal } = means
  const upload = begun.storage_upload ?? (await open(assetId, means))
  const turnEnds = performance.now() + turnMs
  let { received } = begun
  let held: Buffer[] = []
  let bytes = 0

  async function store(part: Uint8Array, isLast: boolean): Promise<void> {
    const number = Math.floor(received / begun.part_bytes) + 1
    if (part.length > 0) await storage.multipart.put(sourceKey(assetId), upload, number, part, signal)
    const now = received + part.length
    await own(async (tx) => {
      if (begun.total === null) await admit(tx, work, now)
      const resumable = begun.validator !== null
      await imports.change(tx, assetId, { received: now, whole: isLast, ...(resumable && { setbacks: 0 }) })
    })
    received = now
    if (begun.total) progress(received / begun.total)
  }

  for await (const chunk of answer.body) {
    pace.came(chunk.length)
    held.push(chunk)
    bytes += chunk.length
    if (bytes < begun.part_bytes) continue
    const all = Buffer.concat(held, bytes)
    let at = 0
    for (; all.length - at >= begun.part_bytes; at += begun.part_bytes) {
      const part = all.subarray(at, at + begun.part_bytes)
      await pace.while(() => store(part, false))
    }
    held = [Buffer.from(all.subarray(at))]
    bytes = all.length - at
    if (begun.validator !== null && performance.now() > turnEnds) return false
  }
  if (begun.total !== null && received + bytes !== begun.total)
    throw new TransientFetchError('The connection was interrupted.')
  if (received + bytes === 0) throw new ImportFault('empty', 'The file at the URL is empty.')
  await pace.while(() => store(Buffer.concat(held, bytes), true))
  return true
}

/** Continues if the file is unchanged, otherwise restarts. */
async function begin(work: imports.Import, whole: SourceFile, means: Means): Promise<imports.Import> {
  const { from, total, validator } = whole
  const isSame = work.total === null || total === null || total === work.total
  if (from > 0 && from === work.received && isSame) return work
  if (from > 0) {
    await restart(work, { from: 0, total: null, validator: null }, means)
    throw new TransientFetchError('The file at the URL has changed.')
  }
  if (work.received > 0) return await restart(work, whole, means)
  const said = { total, validator, part_bytes: partBytesFor(total) }
  await means.own(async (tx) => {
    if (total !== null) await admit(tx, work, total)
    await imports.change(tx, work.asset_id, said)
  })
  return { ...work, ...said }
}

/**
 * Restarts an import. New parts replace old parts with the same number. Other old parts do not become part of the file.
 */
async function restart(
  work: imports.Import,
  { total, validator }: SourceFile,
  { own }: Means,
): Promise<imports.Import> {
  const restarts = work.restarts + 1
  if (restarts > mostRestarts)
    throw new ImportFault('url_changed', 'The file at the URL changed repeatedly, or its download cannot be resumed.')
  const said = { total, validator, part_bytes: partBytesFor(total), received: 0, whole: false, restarts }
  await own(async (tx) => {
    if (total !== null) await admit(tx, work, total)
    await imports.change(tx, work.asset_id, said)
  })
  return { ...work, ...said }
}

async function open(assetId: string, { storage, own, signal }: Means): Promise<string> {
  const key = sourceKey(assetId)
  const upload = await storage.multipart.create(key, { contentType: 'application/octet-stream', signal })
  await own((tx) => imports.change(tx, assetId, { storage_upload: upload }))
  return upload
}

/**
 * Joins the parts in storage into the asset's original; returns its bytes, or `null` if parts are missing. Does nothing
 * if they were already joined.
 */
export async function joinParts(work: imports.Import, { storage }: Pick<Means, 'storage'>): Promise<number | null> {
  const { asset_id, storage_upload, received, part_bytes } = work
  const key = sourceKey(asset_id)
  const stored = storage_upload === null ? null : await storage.multipart.list(key, storage_upload)
  if (stored === null || storage_upload === null) return (await storage.size(key)) === received ? received : null
  const parts = stored.filter(({ number }) => number <= Math.ceil(received / part_bytes))
  if (parts.reduce((sum, { bytes }) => sum + bytes, 0) !== received) return null
  await storage.multipart.complete(key, storage_upload, parts)
  return received
}
