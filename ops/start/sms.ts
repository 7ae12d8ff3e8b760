import { join } from 'node:path'
import { getCountries } from 'libphonenumber-js'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as orgs from '#sql/account/orgs.ts'
import { openPool } from '#sql/db.ts'
import * as providers from '#sql/sms/providers.ts'
import * as settings from '#sql/sms/settings.ts'
import { sealSecrets } from '#tasks/sms/rules/own-provider.ts'
import { sandboxAccountSid, sandboxNumber } from '../embedded/sms/account.ts'
import type { LastFacts } from './dev-facts.ts'
import * as parts from './parts.ts'
import { preferPort } from './ports.ts'
import type { Part } from './supervise.ts'

export interface StartedSms {
  env: Record<string, string>
  ports: Record<string, number>
  sms_url?: string
}

/** Starts the sandbox of an SMS provider, unless it is off. */
export async function startSms({
  data,
  last,
  start,
}: {
  data: string
  last: LastFacts
  start(part: Part): Promise<void>
}): Promise<StartedSms> {
  if (!config.SMS_SANDBOX) return { env: {}, ports: {} }
  const port = await preferPort(config.HOST, last.ports?.sms)
  await start(parts.smsSandbox({ host: config.HOST, port, credentials: join(data, 'secrets.json') }))
  const sms_url = `http://${parts.reachable(config.HOST)}:${port}`
  return { env: { SMS_TWILIO_API: sms_url, SMS_TEST_PHONE: sms_url }, ports: { sms: port }, sms_url }
}

/** Connects the organisation `dev` to the sandbox, and allows all countries, because nothing is delivered. */
export async function seedSms(databaseUrl: string, signingSecret: string, authToken: string): Promise<void> {
  if (!config.SMS_SANDBOX) return
  const db = await openPool(databaseUrl, 1)
  try {
    await db.transaction(async (tx) => {
      const org = await orgs.findByName(tx, 'dev')
      if (!org || (await providers.count(tx, org.id)) > 0) return
      const id = newId()
      const seal = createSeal(signingSecret, providers.sealPurpose)
      await providers.insert(tx, {
        ...{ id, org_id: org.id, name: 'Sandbox', kind: 'twilio', sender: sandboxNumber, per_second: 100 },
        settings: { account_sid: sandboxAccountSid },
        secrets: sealSecrets(seal, id, { auth_token: authToken }),
        is_default: true,
      })
      await settings.put(tx, org.id, {
        ...settings.defaults,
        countries: getCountries(),
        help_text: 'This is the sandbox of Millrace.',
      })
    })
  } finally {
    await db.end()
  }
}
