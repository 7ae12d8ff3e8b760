import type { Seal } from '#lib/seal.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { Scratch } from '../video/pools.ts'
import type { CloudApi } from './engine.ts'

/** What work with numbers and files needs. */
export interface WhatsappTools {
  whatsapp: CloudApi
  /** Opens the secrets of organisations' numbers; undefined without `SIGNING_SECRET`. */
  seal: Seal | undefined
  storage: Storage
  scratch: Pick<Scratch, 'attempt'>
  /** Lets few files be on their way at once, so that messages are not behind them; undefined when there is no room. */
  fileSlot(): Disposable | undefined
}

/** Requests to the Cloud API. */
export const whatsapp = pool<WhatsappTools>()('whatsapp', { fetchAhead: 0 })
