import { config } from '#lib/config.ts'
import { createOutboundClient } from '#lib/http.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

/** The pool of deliveries to webhooks. */
export const webhooks: PoolDeclaration<'webhooks'> = {
  concurrency: config.WEBHOOK_CONCURRENCY,
  lacks: async () => undefined,
  tools: async () => ({ outbound: createOutboundClient() }),
}
