import { config } from '#lib/config.ts'
import { service } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'

export interface WhatsappSettings {
  phoneNumberId: string | undefined
  accountId: string | undefined
  appSecret: string | undefined
  verifyToken: string | undefined
  /** Page of the sandbox’s test phone. Undefined if messages go to WhatsApp. */
  testPhone?: string | undefined
  /** Timeout in milliseconds of a request that waits for the Cloud API's response through a worker. */
  waitMs: number
}

export const settings = service<WhatsappSettings>({
  name: 'whatsapp.settings',
  open: () => ({
    phoneNumberId: config.WHATSAPP_PHONE_NUMBER_ID,
    accountId: config.WHATSAPP_BUSINESS_ACCOUNT_ID,
    appSecret: config.WHATSAPP_APP_SECRET,
    verifyToken: config.WHATSAPP_VERIFY_TOKEN,
    testPhone: config.WHATSAPP_TEST_PHONE,
    waitMs: config.WHATSAPP_TIMEOUT_MS + 5_000,
  }),
})

export const notConfigured = problem(
  503,
  'not_configured',
  'No WhatsApp business number is configured (`WHATSAPP_PHONE_NUMBER_ID`).',
)
