import { config, requireVariable } from '#lib/config.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/push/credentials.ts'
import { signReceipts } from '#tasks/push/rules/receipt-token.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createPushEngine } from './engine.ts'

export const push: PoolDeclaration<'push'> = {
  concurrency: config.PUSH_CONCURRENCY,
  share: { perOrganisation: 1 / 4 },
  lacks: async () =>
    config.SIGNING_SECRET ? undefined : 'SIGNING_SECRET is not set, so credentials cannot be decrypted',
  tools: async ({ ends }) => {
    const secret = requireVariable('SIGNING_SECRET')
    const engine = createPushEngine()
    ends.defer(() => engine.close())
    return {
      push: engine,
      seal: createSeal(secret, sealPurpose),
      signReceipts: (deliveryIds) => signReceipts(deliveryIds, secret),
    }
  },
}
