import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/knowledge/store-files.ts'
import * as stores from '#sql/knowledge/stores.ts'
import { readStoreFile } from '#tasks/knowledge/read-store-file.ts'
import { storeText } from '#tasks/knowledge/rules/store-text.ts'
import { SourceError } from '#tasks/sources/rules/source-error.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { nonBlankText } from './fields.ts'
import { addFiles, requireFilesRead, requireRoom, storeFull } from './vector-stores/add-files.ts'
import {
  Attributes,
  Chunking,
  fileParams,
  ofStores,
  PageQuery,
  pageOf,
  presentFile,
  readPage,
  storeParams,
  VectorStoreFile,
} from './vector-stores/fields.ts'

const bytesReached = problem(409, 'vector_store_bytes_reached', 'The vector stores have as much text as they can have.')

/** Maximum length of a text that is sent directly. Indexing it takes a tenth of a second. */
const mostCharacters = 40_000

const mustFindStore = (db: Db, orgId: string, id: string) => mustFind(stores.find(db, orgId, id), 'vector store')

export const create = route({
  ...ofStores,
  method: 'POST',
  path: '/vector_stores/{storeId}/files',
  summary: 'Add a file to a vector store (OpenAI format)',
  description:
    'Adds a PDF, DOCX, HTML, Markdown or text file of up to 20 MiB. Send `file_id`, or the text itself in `content`. A worker waits for the virus scan and reads the text. Only clean files are indexed. If the store already has the file, it is read again. `file_id` also needs the `files:read` scope.',
  scope: 'ai:write',
  idempotent: true,
  enqueues: readStoreFile,
  params: storeParams,
  body: z
    .strictObject({
      file_id: Id.optional().describe('File from `POST /v1/ai/files` or the files area'),
      content: nonBlankText(mostCharacters)
        .optional()
        .describe(`Text instead of a file, up to ${mostCharacters} characters. It is indexed immediately.`),
      filename: nonBlankText(255).optional().describe('Name of the text in `content`'),
      attributes: Attributes.nullish(),
      chunking_strategy: Chunking,
    })
    .refine(({ file_id, content }) => (file_id === undefined) !== (content === undefined), {
      path: ['file_id'],
      error: 'is required, or `content` instead of it',
    })
    .refine(({ filename, content }) => filename === undefined || content !== undefined, {
      path: ['filename'],
      error: 'can be set only together with `content`',
    }),
  status: 200,
  reply: VectorStoreFile,
  problems: ['not_found', storeFull, bytesReached],
  example: { body: { content: 'Refunds take five days.', filename: 'refunds.md', attributes: { language: 'en' } } },
  async handle({ params, body: { file_id, content, filename = 'text.txt', attributes }, org, key, db }) {
    if (file_id !== undefined) requireFilesRead({ key })
    const store = await mustFind(stores.lock(db, org.id, params.storeId), 'vector store')
    if (file_id !== undefined) {
      const given = [{ file_id, attributes: attributes ?? {} }]
      const [added] = await addFiles(db, { store, given, field: 'body.file_id' })
      return presentFile(added as rows.StoreFile)
    }
    const id = newId()
    await requireRoom(db, store, [id])
    const facts = { id, org_id: org.id, store_id: store.id, file_id: id, batch_id: null, filename }
    const [added] = await rows.add(db, [{ ...facts, attributes: attributes ?? {} }])
    await storeText(db, added as rows.StoreFile, content ?? '').catch(toProblem)
    return presentFile(await mustFind(rows.find(db, store.id, id), 'file'))
  },
})

function toProblem(error: unknown): never {
  if (!(error instanceof SourceError)) throw error
  throw error.facts.code === 'full' ? bytesReached(error.message) : new Problem(400, 'bad_request', error.message)
}

export const list = route({
  ...ofStores,
  method: 'GET',
  path: '/vector_stores/{storeId}/files',
  summary: 'List files of a vector store (OpenAI format)',
  description: 'Returns the files of a vector store, newest first unless `order` is `asc`.',
  scope: 'ai:invoke',
  params: storeParams,
  query: PageQuery.extend({ filter: rows.FileStatus.optional().describe('Status of the files') }),
  status: 200,
  reply: pageOf(VectorStoreFile),
  problems: ['not_found'],
  async handle({ params, query: { filter: status, ...page }, org, db }) {
    const store = await mustFindStore(db, org.id, params.storeId)
    return await readPage(page, (cut) => rows.list(db, store.id, cut, { status }), presentFile)
  },
})

export const read = route({
  ...ofStores,
  method: 'GET',
  path: '/vector_stores/{storeId}/files/{fileId}',
  summary: 'Get a file of a vector store (OpenAI format)',
  description: 'Returns the status of a file in a vector store, and the error if it could not be read.',
  scope: 'ai:invoke',
  params: fileParams,
  status: 200,
  reply: VectorStoreFile,
  headers: { 'openai-poll-after-ms': 'Milliseconds after which OpenAI’s SDK reads the status again' },
  problems: ['not_found'],
  async handle({ params, org, db, set }) {
    const store = await mustFindStore(db, org.id, params.storeId)
    set('openai-poll-after-ms', '1000')
    return presentFile(await mustFind(rows.find(db, store.id, params.fileId), 'file'))
  },
})

export const content = route({
  ...ofStores,
  method: 'GET',
  path: '/vector_stores/{storeId}/files/{fileId}/content',
  summary: 'Get the indexed text of a file (OpenAI format)',
  description: 'Returns the text of a file in the parts that a search returns. Concatenated, they are the text.',
  scope: ['ai:invoke', 'files:read'],
  params: fileParams,
  status: 200,
  reply: z.object({
    object: z.literal('vector_store.file_content.page'),
    data: z.array(z.object({ type: z.literal('text'), text: z.string() })),
    has_more: z.literal(false),
    next_page: z.null(),
  }),
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const store = await mustFindStore(db, org.id, params.storeId)
    const file = await mustFind(rows.find(db, store.id, params.fileId), 'file')
    const texts = await rows.listTexts(db, file.id)
    const data = texts.map((text) => ({ type: 'text' as const, text }))
    return { object: 'vector_store.file_content.page', data, has_more: false, next_page: null }
  },
})

export const update = route({
  ...ofStores,
  method: 'POST',
  path: '/vector_stores/{storeId}/files/{fileId}',
  summary: 'Update the attributes of a file (OpenAI format)',
  description: 'Replaces all attributes of the file. The next search uses them.',
  scope: 'ai:write',
  repeatable: true,
  params: fileParams,
  body: z.strictObject({ attributes: Attributes.nullable() }),
  status: 200,
  reply: VectorStoreFile,
  problems: ['not_found'],
  async handle({ params, body: { attributes }, org, db }) {
    const store = await mustFindStore(db, org.id, params.storeId)
    return presentFile(await mustFind(rows.setAttributes(db, store.id, params.fileId, attributes ?? {}), 'file'))
  },
})

export const remove = route({
  ...ofStores,
  method: 'DELETE',
  path: '/vector_stores/{storeId}/files/{fileId}',
  summary: 'Remove a file from a vector store (OpenAI format)',
  description: 'Removes the file from the store. The file stays in the files area.',
  scope: 'ai:write',
  params: fileParams,
  status: 200,
  reply: z.object({ id: Id, object: z.literal('vector_store.file.deleted'), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { storeId, fileId: id }, org, db }) {
    const store = await mustFindStore(db, org.id, storeId)
    await mustFind(
      rows.remove(db, store.id, id).then((removed) => removed || null),
      'file',
    )
    return { id, object: 'vector_store.file.deleted', deleted: true }
  },
})
