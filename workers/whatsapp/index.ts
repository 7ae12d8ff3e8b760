import { config } from '#lib/config.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createCloudApi } from './cloud-api.ts'

/** The pool of messages by WhatsApp. */
export const whatsapp: PoolDeclaration<'whatsapp'> = {
  concurrency: config.WHATSAPP_CONCURRENCY,
  lacks: async () => undefined,
  tools: async ({ ends }) => {
    const api = createCloudApi({
      server: config.WHATSAPP_API,
      version: config.WHATSAPP_API_VERSION,
      phoneNumberId: config.WHATSAPP_PHONE_NUMBER_ID,
      accountId: config.WHATSAPP_BUSINESS_ACCOUNT_ID,
      accessToken: config.WHATSAPP_ACCESS_TOKEN,
      timeoutMs: config.WHATSAPP_TIMEOUT_MS,
    })
    ends.defer(() => api.close())
    return { whatsapp: api }
  },
}
