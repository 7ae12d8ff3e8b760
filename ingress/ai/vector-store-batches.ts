import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/knowledge/store-batches.ts'
import * as files from '#sql/knowledge/store-files.ts'
import * as stores from '#sql/knowledge/stores.ts'
import { readStoreFile } from '#tasks/knowledge/read-store-file.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { addFiles, storeFull } from './vector-stores/add-files.ts'
import {
  Attributes,
  Chunking,
  ofStores,
  PageQuery,
  pageOf,
  presentFile,
  readPage,
  storeParams,
  toSeconds,
  VectorStoreFile,
} from './vector-stores/fields.ts'

/** Maximum number of files per batch. */
const mostFiles = 500

const batchParams = storeParams.extend({ batchId: pathId('file batch') })

const Batch = z
  .object({
    id: Id,
    object: z.literal('vector_store.files_batch'),
    created_at: z.int().describe('Unix time in seconds'),
    vector_store_id: Id,
    status: z.enum(['in_progress', 'completed', 'cancelled', 'failed']),
    file_counts: z.object({
      in_progress: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      total: z.int(),
    }),
  })
  .meta({ id: 'ai.VectorStoreBatch' })

function present({ id, store_id, created_at, cancelled_at, counts }: rows.Batch): z.input<typeof Batch> {
  const { in_progress = 0, completed = 0, failed = 0, cancelled = 0 } = counts
  const ended = cancelled_at === null ? ('completed' as const) : ('cancelled' as const)
  return {
    id,
    object: 'vector_store.files_batch',
    created_at: toSeconds(created_at),
    vector_store_id: store_id,
    status: in_progress > 0 ? 'in_progress' : ended,
    file_counts: { in_progress, completed, failed, cancelled, total: in_progress + completed + failed + cancelled },
  }
}

export const create = route({
  ...ofStores,
  method: 'POST',
  path: '/vector_stores/{storeId}/file_batches',
  summary: 'Add several files to a vector store (OpenAI format)',
  description: `Adds up to ${mostFiles} files. Send \`file_ids\` with the same \`attributes\` for all files, or \`files\` with their own attributes. The batch can be read for 7 days.`,
  scope: ['ai:write', 'files:read'],
  idempotent: true,
  enqueues: readStoreFile,
  params: storeParams,
  body: z
    .strictObject({
      file_ids: z.array(Id).min(1).max(mostFiles).nullish(),
      files: z
        .array(z.strictObject({ file_id: Id, attributes: Attributes.nullish(), chunking_strategy: Chunking }))
        .min(1)
        .max(mostFiles)
        .nullish(),
      attributes: Attributes.nullish().describe('Attributes of all files in `file_ids`'),
      chunking_strategy: Chunking,
    })
    .refine(({ file_ids, files }) => !file_ids !== !files, {
      path: ['file_ids'],
      error: 'is required, or `files` instead of it',
    }),
  status: 200,
  reply: Batch,
  problems: ['not_found', storeFull],
  example: { body: { file_ids: ['0199aaaa-0000-7000-8000-000000000001'] } },
  async handle({ params, body, org, db }) {
    const store = await mustFind(stores.lock(db, org.id, params.storeId), 'vector store')
    const id = newId()
    await rows.insert(db, { id, org_id: org.id, store_id: store.id })
    const given = body.files
      ? body.files.map(({ file_id, attributes }) => ({ file_id, attributes: attributes ?? {} }))
      : (body.file_ids ?? []).map((file_id) => ({ file_id, attributes: body.attributes ?? {} }))
    await addFiles(db, { store, given, field: body.files ? 'body.files' : 'body.file_ids', batchId: id })
    return present(await mustFind(rows.find(db, store.id, id), 'file batch'))
  },
})

export const read = route({
  ...ofStores,
  method: 'GET',
  path: '/vector_stores/{storeId}/file_batches/{batchId}',
  summary: 'Get a file batch (OpenAI format)',
  description: 'Returns the status of a batch and the numbers of its files.',
  scope: 'ai:invoke',
  params: batchParams,
  status: 200,
  reply: Batch,
  headers: { 'openai-poll-after-ms': 'Milliseconds after which OpenAI’s SDK reads the status again' },
  problems: ['not_found'],
  async handle({ params, org, db, set }) {
    const store = await mustFind(stores.find(db, org.id, params.storeId), 'vector store')
    set('openai-poll-after-ms', '1000')
    return present(await mustFind(rows.find(db, store.id, params.batchId), 'file batch'))
  },
})

export const cancel = route({
  ...ofStores,
  method: 'POST',
  path: '/vector_stores/{storeId}/file_batches/{batchId}/cancel',
  repeatable: true,
  summary: 'Cancel a file batch (OpenAI format)',
  description: 'Cancels the files of the batch that are still in progress. Files that are completed stay in the store.',
  scope: 'ai:write',
  params: batchParams,
  status: 200,
  reply: Batch,
  problems: ['not_found'],
  async handle({ params: { storeId, batchId }, org, db }) {
    const store = await mustFind(stores.find(db, org.id, storeId), 'vector store')
    await db.transaction((tx) => rows.cancel(tx, store.id, batchId))
    return present(await mustFind(rows.find(db, store.id, batchId), 'file batch'))
  },
})

export const listFiles = route({
  ...ofStores,
  method: 'GET',
  path: '/vector_stores/{storeId}/file_batches/{batchId}/files',
  summary: 'List files of a file batch (OpenAI format)',
  description: 'Returns the files of a batch, newest first unless `order` is `asc`.',
  scope: 'ai:invoke',
  params: batchParams,
  query: PageQuery.extend({ filter: files.FileStatus.optional().describe('Status of the files') }),
  status: 200,
  reply: pageOf(VectorStoreFile),
  problems: ['not_found'],
  async handle({ params: { storeId, batchId }, query: { filter: status, ...page }, org, db }) {
    const store = await mustFind(stores.find(db, org.id, storeId), 'vector store')
    await mustFind(rows.find(db, store.id, batchId), 'file batch')
    return await readPage(page, (cut) => files.list(db, store.id, cut, { status, batchId }), presentFile)
  },
})
