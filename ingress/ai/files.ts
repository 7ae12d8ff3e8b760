import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/files/objects.ts'
import { listUploaded } from '#sql/files/some-objects.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { enqueueRemoval } from '#tasks/files/remove.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { File, Purpose, place, presentFile } from './files/fields.ts'
import { ofStores, PageQuery, pageOf, readPage } from './vector-stores/fields.ts'

export { create } from './files/upload.ts'

const params = z.object({ fileId: pathId('file') })

const notClean = problem(409, 'not_clean', 'The file is not clean.')

export const list = route({
  ...ofStores,
  method: 'GET',
  path: '/files',
  summary: 'List uploaded files (OpenAI format)',
  description: 'Returns the files that were uploaded with `POST /v1/ai/files`, newest first unless `order` is `asc`.',
  scope: 'files:read',
  query: PageQuery.omit({ before: true }).extend({ purpose: Purpose.optional() }),
  status: 200,
  reply: pageOf(File),
  handle: ({ query: { purpose, ...page }, org, db }) =>
    readPage({ before: undefined, ...page }, (cut) => listUploaded(db, org.id, place, cut, purpose), presentFile),
})

export const read = route({
  ...ofStores,
  method: 'GET',
  path: '/files/{fileId}',
  summary: 'Get a file (OpenAI format)',
  description: 'Returns a file and the result of its virus scan.',
  scope: 'files:read',
  params,
  status: 200,
  reply: File,
  problems: ['not_found'],
  handle: async ({ params, org, db }) =>
    presentFile(await mustFind(rows.find(db, { orgId: org.id }, params.fileId), 'file')),
})

export const content = route({
  ...ofStores,
  method: 'GET',
  path: '/files/{fileId}/content',
  summary: 'Download a file (OpenAI format)',
  description: 'Returns the bytes of a clean file.',
  scope: 'files:read',
  params,
  status: 200,
  raw: 'application/octet-stream',
  problems: ['not_found', notClean],
  async handle({ params, org, db, ctx, services, signal }) {
    const asked = await mustFind(rows.find(db, { orgId: org.id }, params.fileId), 'file')
    const { scan_status, held_key, byte_size } = await getServedVersion(db, asked)
    if (scan_status !== 'clean' || held_key === null)
      throw conflict(`The file is ${scan_status}. Only clean files can be downloaded.`, 'not_clean')
    const bytes = await mustFind(services(storage).read(held_key, signal), 'file')
    ctx.type = 'application/octet-stream'
    ctx.set('content-disposition', 'attachment')
    ctx.set('x-content-type-options', 'nosniff')
    ctx.length = byte_size
    ctx.body = bytes
  },
})

export const remove = route({
  ...ofStores,
  method: 'DELETE',
  path: '/files/{fileId}',
  summary: 'Delete a file (OpenAI format)',
  description: 'Deletes a file of the files area, and removes it from all vector stores.',
  scope: 'files:write',
  params,
  status: 200,
  reply: z.object({ id: Id, object: z.literal('file'), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { fileId: id }, org, db }) {
    await db.transaction(async (tx) => {
      const deleted = await rows.markDeleted(tx, { orgId: org.id }, id)
      await mustFind(Promise.resolve(deleted[0]), 'file')
      for (const one of deleted) await enqueueRemoval(tx, one)
    })
    return { id, object: 'file', deleted: true }
  },
})
