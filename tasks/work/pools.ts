import type { OutboundClient } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'
import { pool } from '../queue/pool.ts'
import type { JobBatches } from './engine.ts'

export interface CallTools {
  /** Client for URLs given by customers, with access only to allowed addresses. */
  outbound: OutboundClient
  /** Client that can also reach this machine. Only for the organisation of WEBHOOK_LOCAL_ORG. */
  local?: OutboundClient | undefined
  seal: Seal
  batches: JobBatches
}

export const calls = pool<CallTools>()('calls', { fetchAhead: 200 })
