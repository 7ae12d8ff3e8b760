import { config, requireVariable } from '#lib/config.ts'
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

export const webhooks: PoolDeclaration<'webhooks'> = {
  concurrency: config.WEBHOOK_CONCURRENCY,
  share: { perOrganisation: 1 / 4 },
  lacks: async () =>
    config.SIGNING_SECRET ? undefined : 'SIGNING_SECRET, which decrypts the secrets of webhooks, is not set',
  tools: async ({ ends }) => {
    const outbound = createOutboundClient()
    ends.defer(() => outbound.close())
    const local = config.WEBHOOK_LOCAL_ORG === undefined ? undefined : createOutboundClient(withLoopback)
    if (local) ends.defer(() => local.close())
    return { outbound, local, seal: createSeal(requireVariable('SIGNING_SECRET'), sealPurpose) }
  },
}
