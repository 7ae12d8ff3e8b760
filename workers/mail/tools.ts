import { config, requireVariable } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { firstIdAt } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import type { MailTools } from '#tasks/email/pools.ts'
import { wakeLost } from '#tasks/email/rewake.ts'
import { registerAddresses } from '#tasks/email/rules/delivery/dedicated.ts'
import type { PoolResources } from '../runtime/pool-declaration.ts'
import { createMailEngine } from './engine.ts'

const lostMs = 2_000

/**
 * Time in milliseconds after which a recorded connection that this process does not use is released. The transaction
 * that should have released the connection failed.
 */
const strayMs = 60_000

/** Returns the reason why this machine cannot send email, or undefined if it can. */
export const findMissingSecret = async (): Promise<string | undefined> =>
  config.SIGNING_SECRET ? undefined : 'SIGNING_SECRET, which decrypts the DKIM keys, is not set'

export async function mailTools({ db, ends, workerId }: Omit<PoolResources, 'storage'>): Promise<MailTools> {
  const secret = requireVariable('SIGNING_SECRET')
  const mail = createMailEngine()
  const holder = { workerId, connections: new Set<string>() }
  const known = () => ({
    workerId,
    connections: [...holder.connections],
    before: firstIdAt(new Date(Date.now() - strayMs)),
  })
  await registerAddresses(db, workerId)
  const lost = runEvery(
    lostMs,
    () => wakeLost(db, known()),
    (error) => log.debug({ err: describe(error) }, 'the check for lost connections failed'),
  ).unref()
  ends.defer(async () => {
    await Promise.all([lost.stop(), mail.close()])
  })
  return { mail, holder, secret }
}
