import type { Db } from '#sql/db.ts'
import type { Target } from '#sql/webhooks/endpoints.ts'
import { giveBack, takeAttempts } from '#sql/webhooks/rates.ts'

/**
 * Takes attempts from the rate limits of an endpoint and its app. Returns how many of the `wanted` attempts can start
 * now. Without a limit, there is no query.
 */
export async function takePaced(
  db: Db,
  { id, rate_limit, app_id, app_rate_limit }: Target,
  wanted: number,
): Promise<number> {
  if (wanted <= 0) return 0
  const ofEndpoint = rate_limit === null ? wanted : await takeAttempts(db, 'endpoint', id, wanted)
  if (ofEndpoint === 0 || app_id === null || app_rate_limit === null) return ofEndpoint
  const ofApp = await takeAttempts(db, 'app', app_id, ofEndpoint)
  if (rate_limit !== null && ofApp < ofEndpoint) await giveBack(db, 'endpoint', id, ofEndpoint - ofApp)
  return ofApp
}
