import type { Seal } from '#lib/seal.ts'
import { pool } from '../queue/pool.ts'
import type { PushEngine } from './engine.ts'

interface PushTools {
  push: PushEngine
  /** Decrypts the credentials of apps. */
  seal: Seal
  /** Creates the tokens with which devices prove that they received deliveries. */
  signReceipts(deliveryIds: readonly string[]): readonly string[]
}

export const push = pool<PushTools>()('push', { fetchAhead: 0 })
