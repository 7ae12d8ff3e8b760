import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as credentials from '#sql/push/credentials.ts'
import type { Delivery } from '#sql/push/deliveries.ts'
import { Instant } from '../http/instant.ts'

const { provider, environment } = credentials.table.Row.shape

export const Fault = z
  .object({
    provider,
    environment,
    reason: z.string().nullable().describe('Error from the provider'),
    next_try_at: Instant.describe('Time of the next attempt. Setting a new credential retries earlier.'),
  })
  .meta({ id: 'push.Fault' })

export const listFaults = (found: readonly credentials.CredentialFacts[]): z.input<typeof Fault>[] =>
  found.flatMap(({ provider, environment, open_until, open_reason }) =>
    open_until === null ? [] : [{ provider, environment, reason: open_reason, next_try_at: open_until }],
  )

/** Reason why a delivery waits for its credential, and end of the wait. `null` if it does not wait. */
export const CredentialHold = z
  .object({ reason: z.string().nullable(), until: Instant })
  .nullable()
  .describe(
    'Set if the provider is rejecting the credential. The delivery is waiting for the next attempt or a new credential.',
  )

/** Returns a function that finds the rejected credential of a delivery. */
export async function createHoldFinder(db: Db, appId: string) {
  const faults = listFaults(await credentials.listForApp(db, appId))
  return ({ provider, environment, status }: Pick<Delivery, 'provider' | 'environment' | 'status'>) => {
    const isIts = (fault: (typeof faults)[number]) => fault.provider === provider && fault.environment === environment
    const fault = status === 'queued' ? faults.find(isIts) : undefined
    return fault ? { reason: fault.reason, until: fault.next_try_at } : null
  }
}
