import type { Seal } from '#lib/seal.ts'
import { pool } from '../queue/pool.ts'
import type { PushEngine } from './engine.ts'

interface PushTools {
  push: PushEngine
  /** Opens the credentials of apps. */
  seal: Seal
  /** The token by which a device proves that a delivery reached it. */
  signReceipts(deliveryIds: readonly string[]): readonly string[]
}

/** Pushes to devices. */
export const push = pool<PushTools>()('push', { fetchAhead: 0 })
