import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'
import * as objects from '#sql/files/objects.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { acceptUpload, recordUpload } from '#tasks/files/rules/take-in.ts'
import { mostBytes } from '#tasks/sources/rules/read-object.ts'
import { createConcurrencyLimiter } from '../../http/limits/at-once.ts'
import { readBody } from '../../http/request/body.ts'
import { parseFormParts } from '../../http/request/multipart.ts'
import { route } from '../../http/route.ts'
import { stopping, storage } from '../../http/services.ts'
import { ofStores } from '../vector-stores/fields.ts'
import { place, presentFile } from './fields.ts'
import { readUpload } from './upload-fields.ts'

/** Maximum size of a body: the file, and the other fields. */
const bodyLimit = mostBytes + 64 * 1024

/** Time in milliseconds in which a client must send the complete body. */
const bodyMs = 60_000

/** Bodies are in memory while they are sent, so each process accepts few of them at the same time. */
const takePlace = createConcurrencyLimiter({ requests: 4, ofOne: 2 })

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
  async handle({ ctx, org, plan, db, services }) {
    using _ = takePlace(org.id)
    const parts = parseFormParts(await readInTime(ctx), ctx.get('content-type') || undefined)
    const { bytes, filename, contentType: content_type, purpose, expiresAt: expires_at } = readUpload(parts)
    const details = { ...place, filename, content_type, byte_size: bytes.length, metadata: { purpose }, expires_at }
    const object = await db.transaction((tx) => recordUpload(tx, org.id, plan, details))
    const at = { db, storage: services(storage) }
    await at.storage.put(object.incoming_key, bytes, { contentType: content_type })
    await acceptUpload(at, object)
    const now = (await objects.findAny(db, object.id)) ?? object
    ctx.body = presentFile(await awaitVerdict(db, now, services(stopping)))
  },
})

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
