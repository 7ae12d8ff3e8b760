import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { DocumentReader, FaceEngine } from './engine.ts'

/** Comparison of faces. */
export const identity = pool<{ faces: FaceEngine }>()('identity', { fetchAhead: 0 })

/** Reading of documents, which no comparison of faces waits behind. */
export const identityDocuments = pool<{ documents: DocumentReader; storage: Storage }>()('identity-documents', {
  fetchAhead: 0,
})
