import { createOutboundClient } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/bots/actions.ts'
import type { ActionClient } from '#tasks/bots/engine.ts'
import { signingSecret } from './signing-secret.ts'

/** Calls actions of bots in a test, one call at a time. */
export function actionClient(): ActionClient {
  let taken = false
  return {
    outbound: createOutboundClient(),
    seal: createSeal(signingSecret, sealPurpose),
    take() {
      if (taken) return null
      taken = true
      return () => {
        taken = false
      }
    },
  }
}
