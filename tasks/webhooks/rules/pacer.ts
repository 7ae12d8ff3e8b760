import type { Db } from '#sql/db.ts'
import type { Target } from '#sql/webhooks/endpoints.ts'
import { giveBack, takeAttempts } from '#sql/webhooks/rates.ts'

/** Takes attempts from the rate limits of an endpoint and its app. Without a limit, this costs nothing. */
export function createPacer(db: Db, endpointId: string) {
  return {
    /** Returns how many of the `wanted` attempts can start now. */
    async take({ rate_limit, app_id, app_rate_limit }: Target, wanted: number): Promise<number> {
      if (wanted <= 0) return 0
      const ofEndpoint = rate_limit === null ? wanted : await takeAttempts(db, 'endpoint', endpointId, wanted)
      if (ofEndpoint === 0 || app_id === null || app_rate_limit === null) return ofEndpoint
      const ofApp = await takeAttempts(db, 'app', app_id, ofEndpoint)
      if (rate_limit !== null && ofApp < ofEndpoint) await giveBack(db, 'endpoint', endpointId, ofEndpoint - ofApp)
      return ofApp
    },
  }
}
