import { config } from '#lib/config.ts'
import { getDomain } from '#lib/email-address.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as providers from '#sql/sms/providers.ts'
import type { Settings } from '#sql/verify/settings.ts'
import type { Channel } from '#sql/verify/verifications.ts'
import { findSender } from '#tasks/verify/rules/channels/email.ts'
import { hasNumber } from '#tasks/verify/rules/channels/whatsapp.ts'
import { isCountryAllowed } from '#tasks/verify/rules/countries.ts'
import { findCallerNumber } from '#tasks/voice/rules/accept-spoken-call.ts'
import type { Recipient } from './recipient.ts'
import { callsLocked, channelNotConfigured, countryNotAllowed, domainNotAllowed } from './refusals.ts'

/** Throws if the key or the organisation cannot send codes on a channel, whoever the recipient is. */
export async function checkChannel(
  db: Db,
  { org, key }: Pick<Caller, 'org' | 'key'>,
  { channel, recipient, settings }: { channel: Channel; recipient: Recipient; settings: Settings },
): Promise<void> {
  if (channel === 'voice' && key.locks.calls === false) throw callsLocked(callsLocked.when)
  if (channel === 'email') checkDomainLock(key.locks.from_domains, settings.from_email)
  else checkCountry(channel, recipient.country, settings)
  // Test keys need no set-up, because nothing is delivered.
  if (key.mode === 'test') return
  const lack = await lacks[channel](db, org.id, settings, key.locks.from_domains)
  if (lack !== undefined) throw channelNotConfigured(lack)
}

function checkDomainLock(allowed: readonly string[] | undefined, fromEmail: string | null): void {
  if (fromEmail === null || !allowed) return
  const domain = getDomain(fromEmail)
  if (allowed.some((one) => one.toLowerCase() === domain)) return
  throw domainNotAllowed(`This key cannot send from ${domain}, the domain of \`from_email\` in the settings.`)
}

function checkCountry(channel: Channel, country: string | null, settings: Settings): void {
  if (country === null || isCountryAllowed(channel, country, settings)) return
  throw countryNotAllowed(
    `Codes to phone numbers of ${country} are not allowed. Add the country to \`countries\` with \`PUT /v1/verify/settings\`.`,
    { country, channel },
  )
}

type Lack = (
  db: Db,
  orgId: string,
  settings: Settings,
  fromDomains: readonly string[] | undefined,
) => Promise<string | undefined>

const lacks: Record<Channel, Lack> = {
  async email(db, orgId, { from_email }, fromDomains) {
    if (await findSender(db, orgId, from_email, fromDomains)) return undefined
    return 'The organisation has no verified domain to send emails from. Add one with `POST /send/v1/domains`.'
  },
  async whatsapp(db, orgId, { whatsapp_template }) {
    if (!(await hasNumber(db, orgId)))
      return 'No WhatsApp business number is connected. Connect one with `POST /v1/whatsapp/numbers`.'
    return whatsapp_template
      ? undefined
      : 'The settings have no `whatsapp_template`. Set an approved authentication template.'
  },
  async voice(db, orgId) {
    if (config.SIP_TRUNKS.length === 0) return 'No SIP trunk is set up. Ask your operator to set `SIP_TRUNKS`.'
    return (await findCallerNumber(db, orgId))
      ? undefined
      : 'The organisation has no phone number to call from. Ask your operator for one.'
  },
  async sms(db, orgId) {
    if ((await providers.findByOrgs(db, [orgId])).has(orgId)) return undefined
    return 'No SMS provider is connected. Connect one with `POST /v1/sms/providers`.'
  },
}
