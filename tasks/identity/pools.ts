import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { DocumentReader, FaceEngine } from './engine.ts'

interface IdentityTools {
  faces: FaceEngine
  documents: DocumentReader
  storage: Storage
}

/** Comparison of faces, and reading of documents. */
export const identity = pool<IdentityTools>()('identity', { fetchAhead: 0 })
