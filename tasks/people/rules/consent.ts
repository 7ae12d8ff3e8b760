import type { Suppression } from '#sql/email/contacts/suppressions.ts'
import type { Contact } from '#sql/email/contacts.ts'
import type { ConsentChange } from '#sql/people/consent-changes.ts'
import type { Installation } from '#sql/push/installations.ts'
import type { User } from '#sql/push/users.ts'
import type { OptOut } from '#sql/sms/opt-outs.ts'
import type { Recipient } from '#sql/whatsapp/recipients.ts'

const toSource = (reason: string): string => `suppression:${reason}`

/** Consent of a person for one channel, read from the tables of the channel. */
export interface Consent {
  state: 'granted' | 'denied' | 'pending' | 'none'
  /** What decided: a source of the organisation, or a table of the channel. */
  source: string | null
  at: Date | null
}

const none: Consent = { state: 'none', source: null, at: null }

const order: readonly Consent['state'][] = ['denied', 'granted', 'pending', 'none']

/** Returns the strictest state: one denial counts for all addresses of the person. The newest of equal states is returned. */
const strictest = (all: readonly Consent[]): Consent =>
  [...all].sort(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0),
  )[0] ?? none

/** Consent for marketing email: suppressions, then the state of each contact. */
export const getEmailConsent = (contacts: readonly Contact[], suppressions: readonly Suppression[]): Consent =>
  strictest([
    ...suppressions.map(({ reason, created_at }) => ({
      state: 'denied' as const,
      source: toSource(reason),
      at: created_at,
    })),
    ...contacts.map(ofContact),
  ])

function ofContact(contact: Contact): Consent {
  const { status, consent_source, confirmed_at, unsubscribed_at, created_at } = contact
  if (status === 'unsubscribed') return { state: 'denied', source: 'unsubscribed', at: unsubscribed_at }
  if (status === 'confirmed') return { state: 'granted', source: consent_source, at: confirmed_at }
  return { state: 'pending', source: consent_source ?? 'import', at: created_at }
}

/** Consent for push: an opt-out of the user, then an active device. */
export function getPushConsent(users: readonly User[], devices: readonly Installation[]): Consent {
  const out = users.flatMap(({ opted_out_at, opt_out_source }) =>
    opted_out_at ? { state: 'denied' as const, source: opt_out_source, at: opted_out_at } : [],
  )
  const active = devices.filter(({ status }) => status === 'active')
  return strictest([
    ...out,
    ...active.map(({ registered_at }) => ({ state: 'granted' as const, source: 'device', at: registered_at })),
  ])
}

export const getWhatsappConsent = (recipients: readonly Recipient[]): Consent =>
  strictest(
    recipients.flatMap(({ consent, consent_source, consent_at }) =>
      consent ? { state: consent, source: consent_source, at: consent_at } : [],
    ),
  )

/** Consent for SMS: an opt-out of a number, then what the organisation reported last. A report adds or removes opt-outs. */
export function getSmsConsent(optOuts: readonly OptOut[], reported: ConsentChange | null): Consent {
  const [newest] = optOuts
  if (newest) {
    const own = reported?.state === 'denied' && newest.source === 'api' ? reported.source : newest.source
    return { state: 'denied', source: own, at: newest.created_at }
  }
  return reported?.state === 'granted' ? { state: 'granted', source: reported.source, at: reported.given_at } : none
}
