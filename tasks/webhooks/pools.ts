import type { OutboundClient } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'
import { pool } from '../queue/pool.ts'

interface WebhookTools {
  /** Reaches endpoints that customers gave, and nothing that is not theirs to name. */
  outbound: OutboundClient
  /** Opens the secrets that deliveries are signed with. */
  seal: Seal
}

/** Deliveries to customers' endpoints. */
export const webhooks = pool<WebhookTools>()('webhooks', { fetchAhead: 0 })
