import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { DocumentReader, FaceEngine } from './engine.ts'

export const identity = pool<{ faces: FaceEngine; storage: Storage }>()('identity', { fetchAhead: 0 })

/** Pool that reads documents. It is separate, so that face comparisons do not wait. */
export const identityDocuments = pool<{ documents: DocumentReader; storage: Storage }>()('identity-documents', {
  fetchAhead: 0,
})
