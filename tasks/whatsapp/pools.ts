import type { Seal } from '#lib/seal.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { Scratch } from '../video/pools.ts'
import type { CloudApi } from './engine.ts'

export interface WhatsappTools {
  whatsapp: CloudApi
  /** Decrypts the secrets of organisations' numbers. Undefined without `SIGNING_SECRET`. */
  seal: Seal | undefined
  storage: Storage
  scratch: Pick<Scratch, 'attempt'>
  /** Limits concurrent files, so that they do not delay messages. Undefined if no slot is free. */
  fileSlot(): Disposable | undefined
}

export const whatsapp = pool<WhatsappTools>()('whatsapp', { fetchAhead: 0 })
