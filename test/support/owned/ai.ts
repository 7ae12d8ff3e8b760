import { newId } from '#lib/ids.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

const model = 'small'

export const ai: Owned = ({ db, make }) => {
  let store: Promise<string> | undefined
  const makeStore = () => {
    store ??= make('POST /v1/ai/vector_stores', { name: 'a' })
    return store
  }
  return {
    made: {
      '/v1/ai/vector_stores': makeStore,
      '/v1/ai/vector_stores/{storeId}/files': async () =>
        make(`POST /v1/ai/vector_stores/${await makeStore()}/files`, { content: 'Refunds take five days.' }),
      '/v1/ai/vector_stores/{storeId}/file_batches': async () => {
        const id = newId()
        await db.query(sql.typeAlias('void')`
          insert into knowledge.store_batches (id, org_id, store_id)
          select ${id}, org_id, id from knowledge.stores where id = ${await makeStore()}`)
        return id
      },
      '/v1/ai/models': async () => {
        const counts = { requests: 0, failures: 0, last_ok_at: null, last_failed_at: null, last_status: null }
        const models = [{ asked: model, real: model }]
        await upstreams.saveStatus(db, newId(), [
          { name: 'main', place: 0, models, embedding_models: [], rerank_models: [], state: 'up', ...counts },
        ])
        return model
      },
    },
    anyones: ['ai.models.get'],
    bodies: {
      'ai.vector-stores.search': { query: 'refunds' },
      'ai.vector-store-files.create': { content: 'a' },
      'ai.vector-store-files.update': { attributes: {} },
      'ai.vector-store-batches.create': { file_ids: [newId()] },
    },
  }
}
