import type { OutboundClient } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'
import { pool } from '../queue/pool.ts'

interface WebhookTools {
  /** Client for URLs given by customers, with access only to allowed addresses. */
  outbound: OutboundClient
  /** Client that can also reach this machine. Only for the organisation of WEBHOOK_LOCAL_ORG. */
  local?: OutboundClient | undefined
  seal: Seal
}

export const webhooks = pool<WebhookTools>()('webhooks', { fetchAhead: 32 })
