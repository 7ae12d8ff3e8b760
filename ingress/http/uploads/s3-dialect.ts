import type { Context } from 'koa'
import { z } from 'zod'
import type { Problem } from '#lib/errors.ts'
import type { PartsUpload } from '#lib/storage/part-plan.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import { problem } from '../problem-kinds.ts'
import { type Route, route } from '../route.ts'
import { storage } from '../services.ts'
import { cleanXmlText } from '../xml.ts'
import { joinParts, partSizeMismatch, partsMissing } from './join-parts.ts'
import { listStored } from './received-parts.ts'

/** An upload in parts, for clients that speak the protocol of S3. */
export interface S3Upload {
  id: string
  key: string
  upload: PartsUpload
  isOpen: boolean
}

interface Found {
  db: DatabasePool
  orgId: string
  id: string
}

interface Dialect {
  /** Name of the path parameter with the ID of the upload. */
  param: string
  id: z.ZodType<string>
  scope: Scope
  /** Finds an upload of the organisation. Throws 404. */
  find(at: Found): Promise<S3Upload>
  /** Aborts an open upload. */
  abort(at: Found): Promise<unknown>
}

const invalidPart = problem(409, 'part_mismatch', 'A part in storage has a different `ETag`.')
const ended = problem(409, 'conflict', 'The upload is not open.')

const Parts = z.strictObject({
  parts: z.array(z.strictObject({ number: z.int().min(1), etag: z.string() })),
})

const partPattern = /<PartNumber>(\d{1,5})<\/PartNumber>[^<]*<ETag>([^<]{1,200})<\/ETag>/g

const readParts = (text: string): z.input<typeof Parts> => ({
  parts: Array.from(text.matchAll(partPattern), ([, number, etag = '']) => ({
    number: Number(number),
    etag: bare(etag),
  })),
})

const bare = (etag: string): string => etag.replaceAll('&quot;', '').replaceAll('&#34;', '').replaceAll('"', '')

/**
 * Declares the calls of S3 clients such as Uppy, in XML. Parts are signed and sent to storage as usual. `join` only joins
 * the parts in storage. The client then completes the upload with the call of its area.
 */
export function s3Routes({
  param,
  id,
  scope,
  find,
  abort,
}: Dialect): Record<'initiate' | 'listParts' | 'join' | 'cancel', Route> {
  const path = `/uploads/{${param}}/s3`
  const common = {
    scope,
    uploadToken: param,
    params: z.object({ [param]: id }),
    status: 200,
    raw: 'application/xml',
    hidden: true,
    renderProblem,
  } as const
  type Asked = { params: Record<string, string>; org: { id: string }; db: DatabasePool }
  const at = ({ params, org, db }: Asked): Found => ({ db, orgId: org.id, id: params[param] ?? '' })
  const open = async (call: Asked): Promise<S3Upload> => {
    const found = await find(at(call))
    if (!found.isOpen) throw ended(ended.when)
    return found
  }
  return {
    initiate: route({
      ...common,
      method: 'POST',
      path: `${path}/initiate`,
      summary: 'Initiate an upload for a client of S3',
      problems: ['not_found', ended],
      async handle({ ctx, ...call }) {
        const { id } = await open(call)
        respond(ctx, 'InitiateMultipartUploadResult', `<Key>${id}</Key><UploadId>${id}</UploadId>`)
      },
    }),
    listParts: route({
      ...common,
      method: 'GET',
      path,
      summary: 'List uploaded parts for a client of S3',
      problems: ['not_found', ended],
      async handle({ ctx, services, ...call }) {
        const { id, key, upload } = await open(call)
        const stored = await listStored(services(storage), key, upload)
        const parts = stored.map(
          (part) =>
            `<Part><PartNumber>${part.number}</PartNumber><ETag>${bare(part.etag)}</ETag><Size>${part.bytes}</Size></Part>`,
        )
        respond(ctx, 'ListPartsResult', `<Key>${id}</Key><UploadId>${id}</UploadId>${parts.join('')}`)
      },
    }),
    join: route({
      ...common,
      method: 'POST',
      path,
      summary: 'Join uploaded parts for a client of S3',
      body: Parts,
      alsoTakes: { 'application/xml': readParts },
      problems: ['not_found', ended, partsMissing, partSizeMismatch, invalidPart],
      async handle({ ctx, services, body, origin, ...call }) {
        const { id, key, upload } = await open(call)
        await checkTags(services(storage), key, upload, body.parts)
        await joinParts(services(storage), key, upload)
        respond(
          ctx,
          'CompleteMultipartUploadResult',
          `<Location>${origin}${ctx.path.replace(/\/s3$/, '')}</Location><Key>${id}</Key><ETag>${id}</ETag>`,
        )
      },
    }),
    cancel: route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Abort an upload for a client of S3',
      problems: ['not_found', ended],
      async handle({ ctx, ...call }) {
        await abort(at(call))
        respond(ctx, 'AbortMultipartUploadResult', '')
      },
    }),
  }
}

/** Throws 409 with each part whose tag is not the one that the client got for it. */
async function checkTags(
  store: Storage,
  key: string,
  upload: PartsUpload,
  given: z.output<typeof Parts>['parts'],
): Promise<void> {
  if (given.length === 0) return
  const stored = new Map((await listStored(store, key, upload)).map(({ number, etag }) => [number, bare(etag)]))
  if (stored.size === 0) return
  const parts = given
    .filter(({ number, etag }) => stored.has(number) && stored.get(number) !== etag)
    .map(({ number }) => number)
  if (parts.length > 0)
    throw invalidPart(`Parts with a different ETag: ${parts.slice(0, 20).join(', ')}. Send them again.`, { parts })
}

function respond(ctx: Context, root: string, content: string): void {
  ctx.type = 'application/xml'
  ctx.body = `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${content}</${root}>`
}

const escaped = (text: string): string => cleanXmlText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Clients of S3 read the code of an error from XML. */
function renderProblem(ctx: Context, { status, code, message }: Problem): void {
  ctx.status = status
  respond(ctx, 'Error', `<Code>${code}</Code><Message>${escaped(message)}</Message>`)
}
