import { config } from '#lib/config.ts'
import { service } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'

/** By what the business number is known, and its webhooks are. */
export interface WhatsappSettings {
  phoneNumberId: string | undefined
  accountId: string | undefined
  appSecret: string | undefined
  verifyToken: string | undefined
  /** Milliseconds that a request waits for the Cloud API's answer to reach us by a worker. */
  waitMs: number
}

/** By what the business number is known. */
export const settings = service<WhatsappSettings>({
  name: 'whatsapp.settings',
  open: () => ({
    phoneNumberId: config.WHATSAPP_PHONE_NUMBER_ID,
    accountId: config.WHATSAPP_BUSINESS_ACCOUNT_ID,
    appSecret: config.WHATSAPP_APP_SECRET,
    verifyToken: config.WHATSAPP_VERIFY_TOKEN,
    waitMs: config.WHATSAPP_TIMEOUT_MS + 5_000,
  }),
})

/** 503 where no business number is set up. */
export const notConfigured = problem(
  503,
  'not_configured',
  'No WhatsApp business number is configured (`WHATSAPP_PHONE_NUMBER_ID`).',
)
