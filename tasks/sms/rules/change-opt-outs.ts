import type { Db } from '#sql/db.ts'
import * as optOuts from '#sql/sms/opt-outs.ts'
import { announceSmsConsent } from '../../people/rules/announce-sms-consent.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

/**
 * Adds an opt-out and sends its webhook. Returns the opt-out, also if it existed. With `isAnnounced`, the caller sends
 * the event of the changed consent.
 */
export async function addOptOut(
  tx: Db,
  given: optOuts.NewOptOut,
  { isAnnounced = false } = {},
): Promise<optOuts.OptOut> {
  const added = await optOuts.add(tx, given)
  if (added) await emitOptOut(tx, 'created', added)
  if (added && !isAnnounced) await announceSmsConsent(tx, 'created', added)
  return added ?? ((await optOuts.findByKey(tx, given)) as optOuts.OptOut)
}

/** Deletes the opt-outs of a person for a sender and sends their webhooks. */
export async function liftOptOuts(tx: Db, of: Pick<optOuts.OptOut, 'org_id' | 'phone' | 'sender'>): Promise<void> {
  const lifted = await optOuts.lift(tx, of)
  for (const optOut of lifted) await emitOptOut(tx, 'removed', optOut)
  const [first] = lifted
  if (first) await announceSmsConsent(tx, 'removed', first)
}

/** Deletes all opt-outs of a person and sends their webhooks. The caller sends the event of the changed consent. */
export async function liftAllOptOuts(tx: Db, of: Pick<optOuts.OptOut, 'org_id' | 'phone'>): Promise<void> {
  for (const lifted of await optOuts.liftAll(tx, of)) await emitOptOut(tx, 'removed', lifted)
}

/** Deletes one opt-out and sends its webhook. Returns null if it does not exist. */
export async function removeOptOut(tx: Db, orgId: string, id: string): Promise<optOuts.OptOut | null> {
  const removed = await optOuts.remove(tx, orgId, id)
  if (removed) {
    await emitOptOut(tx, 'removed', removed)
    await announceSmsConsent(tx, 'removed', removed)
  }
  return removed
}

async function emitOptOut(tx: Db, what: 'created' | 'removed', optOut: optOuts.OptOut): Promise<void> {
  const { id, org_id, sender, source, keyword } = optOut
  const phone = optOuts.isErased(optOut) ? null : optOut.phone
  await emitMany(tx, [
    {
      orgId: org_id,
      type: `sms.opt_out.${what}`,
      data: { id, phone, from: sender === '' ? null : sender, source, keyword: keyword === '' ? null : keyword },
    },
  ])
}
