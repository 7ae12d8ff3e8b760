import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/knowledge/stores.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { readStoreFile } from '#tasks/knowledge/read-store-file.ts'
import { removeStore } from '#tasks/knowledge/remove-store.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { nonBlankText } from './fields.ts'
import { addFiles, requireFilesRead } from './vector-stores/add-files.ts'
import {
  Chunking,
  ExpiresAfter,
  Metadata,
  ofStores,
  PageQuery,
  pageOf,
  presentStore,
  readPage,
  storeParams,
  VectorStore,
} from './vector-stores/fields.ts'

export { search } from './vector-stores/search.ts'

/** Maximum number of vector stores of an organisation. */
const mostStores = 1_000

const tooMany = problem(409, 'too_many_vector_stores', `An organisation can have up to ${mostStores} vector stores.`)

/** Maximum number of files that are added with the store. */
const mostFirstFiles = 100

const Name = nonBlankText(256)

export const create = route({
  ...ofStores,
  method: 'POST',
  path: '/vector_stores',
  summary: 'Create a vector store (OpenAI format)',
  description:
    'A vector store is a collection of files that you search together. Works with OpenAI’s SDK if its base URL is `/v1/ai`. `file_ids` also needs the `files:read` scope.',
  scope: 'ai:write',
  idempotent: true,
  enqueues: readStoreFile,
  body: z.strictObject({
    name: Name.nullish(),
    description: nonBlankText(512).nullish(),
    file_ids: z
      .array(Id)
      .max(mostFirstFiles)
      .nullish()
      .describe(`Up to ${mostFirstFiles} files from \`POST /v1/ai/files\` or the files area`),
    metadata: Metadata.nullish(),
    expires_after: ExpiresAfter.nullish(),
    chunking_strategy: Chunking,
  }),
  status: 200,
  reply: VectorStore,
  problems: ['not_found', tooMany],
  example: { body: { name: 'Manuals', expires_after: { anchor: 'last_active_at', days: 30 } } },
  async handle({ body, org, key, db }) {
    const fileIds = body.file_ids ?? []
    if (fileIds.length > 0) requireFilesRead({ key })
    await lockOrgLimit(db, org.id, 'knowledge.stores')
    if (await rows.hasMany(db, org.id, mostStores)) throw tooMany(tooMany.when)
    const store = await rows.insert(db, {
      id: newId(),
      org_id: org.id,
      name: body.name ?? '',
      description: body.description ?? null,
      metadata: body.metadata ?? {},
      expires_days: body.expires_after?.days ?? null,
    })
    if (fileIds.length === 0) return presentStore(store)
    const given = fileIds.map((file_id) => ({ file_id }))
    await addFiles(db, { store, given, field: 'body.file_ids' })
    return presentStore(await mustFind(rows.find(db, org.id, store.id), 'vector store'))
  },
})

export const list = route({
  ...ofStores,
  method: 'GET',
  path: '/vector_stores',
  summary: 'List vector stores (OpenAI format)',
  description: 'Returns the vector stores of your organisation, newest first unless `order` is `asc`.',
  tool: { name: 'list_vector_stores' },
  scope: 'ai:invoke',
  query: PageQuery,
  status: 200,
  reply: pageOf(VectorStore),
  handle: ({ query, org, db }) => readPage(query, (page) => rows.list(db, org.id, page), presentStore),
})

export const read = route({
  ...ofStores,
  method: 'GET',
  path: '/vector_stores/{storeId}',
  summary: 'Get a vector store (OpenAI format)',
  description: 'Returns a vector store with the numbers of its files and the bytes of their text.',
  scope: 'ai:invoke',
  params: storeParams,
  status: 200,
  reply: VectorStore,
  problems: ['not_found'],
  handle: async ({ params, org, db }) =>
    presentStore(await mustFind(rows.find(db, org.id, params.storeId), 'vector store')),
})

export const update = route({
  ...ofStores,
  method: 'POST',
  path: '/vector_stores/{storeId}',
  summary: 'Update a vector store (OpenAI format)',
  description: 'Omitted fields keep their values. `metadata` replaces all entries.',
  scope: 'ai:write',
  repeatable: true,
  params: storeParams,
  body: z.strictObject({
    name: Name.nullish(),
    metadata: Metadata.nullish(),
    expires_after: ExpiresAfter.nullish().describe('`null`: the store never expires'),
  }),
  status: 200,
  reply: VectorStore,
  problems: ['not_found'],
  async handle({ params, body: { name, metadata, expires_after }, org, db }) {
    const change = {
      ...(name !== undefined && { name: name ?? '' }),
      ...(metadata !== undefined && { metadata: metadata ?? {} }),
      ...(expires_after !== undefined && { expires_days: expires_after?.days ?? null }),
    }
    return presentStore(await mustFind(rows.update(db, org.id, params.storeId, change), 'vector store'))
  },
})

export const remove = route({
  ...ofStores,
  method: 'DELETE',
  path: '/vector_stores/{storeId}',
  summary: 'Delete a vector store (OpenAI format)',
  description: 'Deletes the store and its index. The files stay in the files area.',
  scope: 'ai:write',
  params: storeParams,
  status: 200,
  reply: z.object({ id: Id, object: z.literal('vector_store.deleted'), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { storeId: id }, org, db }) {
    await db.transaction(async (tx) => {
      await mustFind(
        rows.end(tx, org.id, id).then((ended) => ended || null),
        'vector store',
      )
      await enqueue(tx, removeStore, { storeId: id }, { orgId: org.id, subject: id })
    })
    return { id, object: 'vector_store.deleted', deleted: true }
  },
})
