import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'
import { createFairSlots } from '#lib/slots.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { acceptUpload, recordUpload } from '#tasks/files/rules/take-in.ts'
import { mostBytes } from '#tasks/sources/rules/read-object.ts'
import { readBody } from '../../http/request/body.ts'
import { readBoundary, readForm } from '../../http/request/multipart-form.ts'
import { route } from '../../http/route.ts'
import { stopping, storage } from '../../http/services.ts'
import { ofStores } from '../vector-stores/fields.ts'
import { place, presentFile } from './fields.ts'
import { readUpload } from './upload-fields.ts'

/** Maximum size of a body: the file, and the other fields. */
const bodyLimit = mostBytes + 64 * 1024

/** Time in milliseconds in which a client must send the complete body. */
const bodyMs = 60_000

/**
 * Bodies are in memory until they are stored, so each process reads few of them at the same time. Clients of OpenAI
 * send five files at the same time, so further requests wait before their body is read.
 */
const places = createFairSlots({ slots: 6, slotsOfOne: 2, waitingOfOne: 50 })

const waitMs = 30_000

/**
 * OpenAI’s upload in one request. It is not in the reference, because files are in `multipart/form-data`, which the
 * clients of Millrace do not send. They use the uploads of the files area.
 */
export const create = route({
  ...ofStores,
  method: 'POST',
  path: '/files',
  summary: 'Upload a file (OpenAI format)',
  scope: 'files:write',
  hidden: true,
  raw: 'application/json',
  status: 200,
  problems: ['payload_too_large', 'unsupported_media_type', 'rate_limited'],
  async handle({ ctx, org, plan, db, services, signal }) {
    const object = await receive({ ctx, org, plan, db, signal, storage: services(storage) })
    ctx.body = presentFile(await awaitVerdict(db, object, services(stopping)))
  },
})

interface Receiving {
  ctx: Context
  org: { id: string }
  plan: Plan
  db: DatabasePool
  signal: AbortSignal
  storage: Storage
}

/** Stores the file of an upload, and starts its scan. */
async function receive({ ctx, org, plan, signal, ...at }: Receiving): Promise<objects.FileObject> {
  using _ = await places.take(org.id, AbortSignal.any([signal, AbortSignal.timeout(waitMs)])).catch(() => {
    signal.throwIfAborted()
    throw new Problem(429, 'rate_limited', 'Too many uploads are in progress. Retry this request in a moment.', {
      retryAfter: 2,
    })
  })
  const boundary = readBoundary(ctx.get('content-type'))
  const parts = await readForm(await readInTime(ctx), boundary)
  const { bytes, filename, contentType, purpose, expiresAt: expires_at } = readUpload(parts)
  const facts = { filename, content_type: contentType, byte_size: bytes.length }
  const details = { ...place, ...facts, metadata: { purpose }, expires_at }
  const object = await at.db.transaction((tx) => recordUpload(tx, org.id, plan, details))
  await at.storage.put(object.incoming_key, bytes, { contentType })
  await acceptUpload(at, object)
  return (await objects.findAny(at.db, object.id)) ?? object
}

async function readInTime({ req, res }: Context): Promise<Buffer> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    res.setHeader('connection', 'close')
    reject(new Problem(408, 'request_timeout', `Send the complete body within ${bodyMs / 1_000} seconds.`))
  }, bodyMs)
  try {
    return await Promise.race([readBody(req, res, bodyLimit), late])
  } finally {
    clearTimeout(timer)
  }
}
