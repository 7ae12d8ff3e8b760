import { join } from 'node:path'
import { config } from '#lib/config.ts'
import * as orgs from '#sql/account/orgs.ts'
import { openPool } from '#sql/db.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { assignWaitingMessages } from '#tasks/whatsapp/rules/inbound.ts'
import { sandboxAccountId, sandboxPhoneNumberId } from '../embedded/whatsapp/number.ts'
import type { LastFacts } from './dev-facts.ts'
import * as parts from './parts.ts'
import { preferPort } from './ports.ts'
import type { Secrets } from './secrets.ts'
import type { Part } from './supervise.ts'

export interface StartedWhatsapp {
  env: Record<string, string>
  ports: Record<string, number>
  whatsapp_url?: string
}

/** Starts the Cloud API sandbox, unless a business number is configured. `port` is the ingress’s port. */
export async function startWhatsapp(
  {
    data,
    secrets,
    last,
    start,
  }: { data: string; secrets: Secrets; last: LastFacts; start: (...group: Part[]) => Promise<void> },
  ingressPort: number,
): Promise<StartedWhatsapp> {
  if (!isSandboxed()) return { env: {}, ports: {} }
  const port = await preferPort(config.HOST, last.ports?.whatsapp)
  const webhook = `http://${parts.reachable(config.HOST)}:${ingressPort}/v1/whatsapp/webhook`
  const dir = join(data, 'whatsapp')
  await start(parts.whatsappSandbox({ host: config.HOST, port, dir, credentials: join(data, 'secrets.json'), webhook }))
  const whatsapp_url = `http://${parts.reachable(config.HOST)}:${port}`
  return {
    env: {
      WHATSAPP_API: whatsapp_url,
      WHATSAPP_TEST_PHONE: whatsapp_url,
      WHATSAPP_PHONE_NUMBER_ID: sandboxPhoneNumberId,
      WHATSAPP_BUSINESS_ACCOUNT_ID: sandboxAccountId,
      WHATSAPP_ACCESS_TOKEN: secrets.whatsapp_access_token,
      WHATSAPP_APP_SECRET: secrets.whatsapp_app_secret,
      WHATSAPP_VERIFY_TOKEN: secrets.whatsapp_verify_token,
    },
    ports: { whatsapp: port },
    whatsapp_url,
  }
}

/** True if messages go to the sandbox: no business number is configured, and the sandbox is on. */
const isSandboxed = () =>
  config.WHATSAPP_PHONE_NUMBER_ID === undefined && config.WHATSAPP_ACCESS_TOKEN === undefined && config.WHATSAPP_SANDBOX

/**
 * Assigns messages that are typed on the phone without an earlier message to the organisation `dev`, unless another
 * organisation is set.
 */
export async function seedWhatsapp(databaseUrl: string): Promise<void> {
  if (!isSandboxed()) return
  const db = await openPool(databaseUrl, 1)
  try {
    await db.transaction(async (tx) => {
      const org = await orgs.findByName(tx, 'dev')
      if (!org || (await receivers.find(tx, sandboxPhoneNumberId)) !== null) return
      await receivers.assign(tx, sandboxPhoneNumberId, org.id)
      await assignWaitingMessages(tx, sandboxPhoneNumberId)
    })
  } finally {
    await db.end()
  }
}
