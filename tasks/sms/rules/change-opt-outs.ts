import type { Db } from '#sql/db.ts'
import * as optOuts from '#sql/sms/opt-outs.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

/** Adds an opt-out and sends its webhook. Returns the opt-out, also if it existed. */
export async function addOptOut(tx: Db, given: optOuts.NewOptOut): Promise<optOuts.OptOut> {
  const added = await optOuts.add(tx, given)
  if (added) await emitOptOut(tx, 'created', added)
  return added ?? ((await optOuts.findByKey(tx, given)) as optOuts.OptOut)
}

/** Deletes the opt-outs of a person for a sender and sends their webhooks. */
export async function liftOptOuts(tx: Db, of: Pick<optOuts.OptOut, 'org_id' | 'phone' | 'sender'>): Promise<void> {
  for (const lifted of await optOuts.lift(tx, of)) await emitOptOut(tx, 'removed', lifted)
}

export async function emitOptOut(tx: Db, what: 'created' | 'removed', optOut: optOuts.OptOut): Promise<void> {
  const { id, org_id, phone, sender, source, keyword } = optOut
  await emitMany(tx, [
    {
      orgId: org_id,
      type: `sms.opt_out.${what}`,
      data: { id, phone, from: sender === '' ? null : sender, source, keyword: keyword === '' ? null : keyword },
    },
  ])
}
