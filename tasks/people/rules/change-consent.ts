import { Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as changes from '#sql/people/consent-changes.ts'
import * as recipients from '#sql/whatsapp/recipients.ts'
import { grantConsent } from '../../email/rules/consent/grant.ts'
import { unsubscribe } from '../../email/rules/consent/unsubscribe.ts'
import { setOptOut } from '../../push/rules/opt-out.ts'
import { addOptOut, liftAllOptOuts } from '../../sms/rules/change-opt-outs.ts'
import { announceConsent } from './announce-consent.ts'
import type { Knowledge } from './knowledge.ts'

export type Decision = 'granted' | 'denied'

export interface ConsentEvidence {
  source: string
  evidence: Record<string, string>
  given_at: string
  actor: string
}

/** Throws 409 if the channel has no address of the person. */
function demand<T>(found: readonly T[], channel: changes.Channel, what: string): readonly T[] {
  if (found.length > 0) return found
  const message = `The person has no ${what}, so there is nothing to change for ${channel}. Link one first.`
  throw new Problem(409, 'no_address', message, { details: { channel } })
}

async function decideEmail(tx: Db, { keys, contacts }: Knowledge, decision: Decision, source: string): Promise<void> {
  const { org_id: orgId, user_id: userId } = keys
  const all = [...new Set([...keys.emails, ...contacts.map(({ email }) => email)])].sort()
  for (const address of demand(all, 'email', 'email address')) {
    if (decision === 'denied')
      await unsubscribe(tx, { orgId, address, source: 'api', messageId: null, isAnnounced: true })
    else if (!(await grantConsent(tx, { orgId, address, source, userId }))) {
      const message = `${address} has unsubscribed. Unsubscribing is permanent.`
      throw new Problem(409, 'contact_unsubscribed', message, { details: { email: address } })
    }
  }
}

async function decidePush(tx: Db, { keys, pushUsers }: Knowledge, decision: Decision, source: string): Promise<void> {
  demand(pushUsers, 'push', 'user in a push app')
  await setOptOut(tx, keys.org_id, keys.push_ids, decision === 'denied' ? source : null)
}

const listPhones = ({ keys, recipients: all }: Knowledge): readonly string[] =>
  [...new Set([...keys.phones, ...all.map(({ phone }) => phone)])].sort()

async function decideWhatsapp(tx: Db, known: Knowledge, decision: Decision, source: string): Promise<void> {
  const { org_id, user_id } = known.keys
  for (const phone of demand(listPhones(known), 'whatsapp', 'phone number')) {
    await recipients.put(
      tx,
      { org_id, phone },
      { user_id, consent: decision, consent_source: source, isDecision: true },
    )
  }
}

async function decideSms(tx: Db, known: Knowledge, decision: Decision): Promise<void> {
  const { org_id } = known.keys
  for (const phone of demand(listPhones(known), 'sms', 'phone number')) {
    if (decision === 'denied')
      await addOptOut(tx, { org_id, phone, sender: '', source: 'api', keyword: null }, { isAnnounced: true })
    else await liftAllOptOuts(tx, { org_id, phone })
  }
}

const deciders: Readonly<
  Record<changes.Channel, (tx: Db, known: Knowledge, decision: Decision, source: string) => Promise<void>>
> = { email: decideEmail, push: decidePush, whatsapp: decideWhatsapp, sms: decideSms }

/**
 * Changes the state of each channel in its own tables, and stores the evidence, in the caller’s transaction. Throws 409
 * for the first channel that cannot change, and then changes nothing.
 */
export async function changeConsent(
  tx: Db,
  known: Knowledge,
  decisions: Readonly<Partial<Record<changes.Channel, Decision | undefined>>>,
  { source, evidence, given_at, actor }: ConsentEvidence,
): Promise<void> {
  const { org_id, user_id } = known.keys
  for (const channel of changes.Channel.options) {
    const state = decisions[channel]
    if (state === undefined) continue
    const previous_state = known.consent[channel].state
    await deciders[channel](tx, known, state, source)
    await changes.insert(tx, {
      ...{ org_id, user_id, channel, state, previous_state, source, evidence, given_at, actor },
    })
    const at = new Date(given_at).toISOString()
    // A suppressed address stays denied, whatever the person decides.
    if (channel === 'email' && state === 'granted' && known.suppressions.length > 0) continue
    await announceConsent(tx, { org_id, user_id, channel, state, previous_state, source, at })
  }
}
