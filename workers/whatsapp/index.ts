import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import { createSlots } from '#lib/slots.ts'
import { sealPurpose } from '#sql/whatsapp/business-numbers.ts'
import { openScratch } from '../media/scratch.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createCloudApi } from './cloud-api.ts'

export const whatsapp: PoolDeclaration<'whatsapp'> = {
  concurrency: config.WHATSAPP_CONCURRENCY,
  share: { perOrganisation: 1 / 4 },
  lacks: async () => undefined,
  tools: async ({ storage, ends }) => {
    const api = createCloudApi({
      server: config.WHATSAPP_API,
      version: config.WHATSAPP_API_VERSION,
      phoneNumberId: config.WHATSAPP_PHONE_NUMBER_ID,
      accountId: config.WHATSAPP_BUSINESS_ACCOUNT_ID,
      accessToken: config.WHATSAPP_ACCESS_TOKEN,
      timeoutMs: config.WHATSAPP_TIMEOUT_MS,
      mediaHosts: config.WHATSAPP_MEDIA_HOSTS,
    })
    ends.defer(() => api.close())
    // Uses a separate folder, because the files belong to no asset.
    const scratch = await openScratch(join(config.MILLRACE_DATA, 'whatsapp-scratch'), storage, async () => [])
    ends.defer(() => scratch.close())
    return {
      whatsapp: api,
      seal: config.SIGNING_SECRET ? createSeal(config.SIGNING_SECRET, sealPurpose) : undefined,
      storage,
      scratch,
      fileSlot: createSlots(Math.max(1, Math.floor(config.WHATSAPP_CONCURRENCY / 4))).tryTake,
    }
  },
}
