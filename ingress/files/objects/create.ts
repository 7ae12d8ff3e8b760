import { z } from 'zod'
import * as objects from '#sql/files/objects.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { acceptUpload, recordUpload } from '#tasks/files/rules/take-in.ts'
import { scan } from '#tasks/files/scan.ts'
import { mustFind } from '../../http/must-find.ts'
import { problem } from '../../http/problem-kinds.ts'
import { route } from '../../http/route.ts'
import { stopping, storage } from '../../http/services.ts'
import { hasOneExpiry, oneExpiry, readExpiry } from '../fields.ts'
import { requireTenant } from '../owner.ts'
import { FileObject, present } from '../present.ts'
import { planExceeded, UploadBody } from '../uploads.ts'

/** Maximum size of a file that is part of a JSON body. */
const mostBytes = 1024 * 1024

/** Length of the largest file in base64. */
const mostBase64 = Math.ceil(mostBytes / 3) * 4

const changed = problem(409, 'conflict', 'The object was deleted while the request was in progress.')

const isSmall = (bytes: number): boolean => bytes <= mostBytes

const Body = UploadBody.omit({ byte_size: true, checksum_sha256: true, browser: true }).extend({
  content_type: UploadBody.shape.content_type.default('text/plain').describe('Media type. Default: `text/plain`.'),
  text: z
    .string()
    .refine((text) => isSmall(Buffer.byteLength(text)), `must be at most ${mostBytes} bytes in UTF-8`)
    .optional()
    .describe('Content of a text file, stored in UTF-8. Instead of `base64`.'),
  base64: z
    .base64()
    .max(mostBase64)
    .optional()
    .describe('Content of any file in base64, up to 1 MiB. Instead of `text`.'),
})

const hasOneContent = ({ text, base64 }: { text?: string | undefined; base64?: string | undefined }): boolean =>
  (text === undefined) !== (base64 === undefined)

export const create = route({
  method: 'POST',
  path: '/objects',
  summary: 'Upload a small file in one request',
  description:
    'Stores a file of up to 1 MiB from `text` or `base64`, and scans it. Waits up to 2.5 seconds for the verdict. If the scan takes longer, `scan_status` is `pending` or `scanning`. For larger files, start an upload.',
  tool: { name: 'upload_file' },
  beyondContract: true,
  scope: 'files:write',
  locks: ['tenant_id'],
  bodyLimit: 2 * mostBytes,
  atOnce: { requests: 64, ofOne: 16 },
  body: Body.refine(hasOneContent, { path: ['text'], error: 'must be sent, or `base64`, but not both' }).refine(
    hasOneExpiry,
    oneExpiry,
  ),
  status: 201,
  reply: FileObject,
  problems: [planExceeded, 'forbidden', 'not_found', changed],
  example: {
    body: { product_key: 'crm', tenant_id: 'acme', filename: 'notes.txt', text: 'Call back on Monday.' },
  },
  enqueues: scan,
  async handle({ body, org, key, plan, db, services, origin }) {
    const { text, base64, expires_in, expires_at, ...facts } = body
    requireTenant({ key }, facts.tenant_id)
    const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text)
    const details = { ...facts, byte_size: bytes.length, expires_at: readExpiry({ expires_in, expires_at }) }
    const object = await db.transaction((tx) => recordUpload(tx, org.id, plan, details))
    const store = services(storage)
    await store.put(object.incoming_key, bytes, { contentType: object.content_type })
    await acceptUpload({ db, storage: store }, object)
    const owner = { orgId: org.id, tenantId: object.tenant_id }
    const now = await mustFind(objects.find(db, owner, object.id), 'object')
    return await present(db, await awaitVerdict(db, now, services(stopping)), origin)
  },
})
