import { config } from '#lib/config.ts'
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/sms/providers.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createGateway } from './gateway.ts'

export const sms: PoolDeclaration<'sms'> = {
  concurrency: config.SMS_CONCURRENCY,
  share: { perOrganisation: 1 / 4 },
  lacks: async () => undefined,
  tools: async ({ ends }) => {
    const gateway = createGateway({
      known: createOutboundClient(config.SMS_TEST_PHONE === undefined ? {} : withLoopback),
      outbound: createOutboundClient(),
      local: config.WEBHOOK_LOCAL_ORG === undefined ? undefined : createOutboundClient(withLoopback),
      twilio: config.SMS_TWILIO_API,
      vonage: config.SMS_VONAGE_API,
      timeoutMs: config.SMS_TIMEOUT_MS,
    })
    ends.defer(() => gateway.close())
    return {
      sms: gateway,
      seal: config.SIGNING_SECRET ? createSeal(config.SIGNING_SECRET, sealPurpose) : undefined,
    }
  },
}
