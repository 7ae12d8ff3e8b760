import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import type { WhatsappTools } from './pools.ts'
import { getNumberApi, NumberRemovedError, openSecrets } from './rules/own-number.ts'

/** Subscribes a number's webhooks at Meta. The URL must already respond. Returns true if Meta accepted it. */
export const subscribeNumber = task({
  name: 'whatsapp/subscribe-number',
  pool: 'whatsapp',
  payload: z.object({ numberId: Id, url: z.url() }),
  attempts: 1,
  timeout: 30_000,
  tracked: true,
  async run({ numberId, url }, means) {
    const subscribed = await subscribe(numberId, url, means).catch((error: unknown) => {
      if (!(error instanceof CloudApiError) && !(error instanceof NumberRemovedError)) throw error
      return false
    })
    await numbers.saveSubscription(means.db, numberId, subscribed)
    return { subscribed }
  },
})

async function subscribe(
  numberId: string,
  url: string,
  means: WhatsappTools & { db: DatabasePool; signal: AbortSignal },
): Promise<boolean> {
  const number = await numbers.findAny(means.db, numberId)
  if (!number) return false
  const { verify_token: verifyToken } = openSecrets(means.seal, number)
  const api = await getNumberApi(means, numberId)
  await api.subscribe({ url, verifyToken }, means.signal)
  return true
}
