import { createOutboundClient } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { createSlots } from '#lib/slots.ts'
import { sealPurpose } from '#sql/bots/actions.ts'
import type { ActionClient } from '#tasks/bots/engine.ts'
import { signingSecret } from './signing-secret.ts'

/** Calls actions of bots in a test, one call at a time. */
export function actionClient(): ActionClient {
  return {
    outbound: createOutboundClient(),
    seal: createSeal(signingSecret, sealPurpose),
    take: createSlots(1).tryTake,
  }
}
