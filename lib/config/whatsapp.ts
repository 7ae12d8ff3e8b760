import { z } from 'zod'
import { concurrency, days, flag, http, list, ms, text } from './values.ts'

export const whatsapp = {
  WHATSAPP_SANDBOX: flag
    .default(true)
    .describe('`npm start` runs a sandbox of the Cloud API with a test phone, unless a number or a token is set'),
  WHATSAPP_PHONE_NUMBER_ID: text
    .regex(/^\w+$/, 'must be an ID: letters and digits')
    .optional()
    .describe('ID of the business phone number that sends messages. Without it, no message is sent.'),
  WHATSAPP_BUSINESS_ACCOUNT_ID: text
    .regex(/^\w+$/, 'must be an ID: letters and digits')
    .optional()
    .describe('ID of the WhatsApp business account (WABA) whose templates are listed'),
  WHATSAPP_ACCESS_TOKEN: text.optional().describe('Token of a system user for the Cloud API'),
  WHATSAPP_APP_SECRET: text.optional().describe('Secret of the Meta app that signs its webhooks'),
  WHATSAPP_VERIFY_TOKEN: text.optional().describe('Token that Meta sends when the webhook is set up'),
  WHATSAPP_API: http.default('https://graph.facebook.com').describe('Server of the Cloud API'),
  WHATSAPP_TEST_PHONE: http
    .optional()
    .describe('Page of the sandbox’s test phone. `npm start` sets it. The dashboard links to the page.'),
  WHATSAPP_API_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/, 'must be a version: v23.0')
    .default('v23.0')
    .describe('Version of the Graph API'),
  WHATSAPP_MEDIA_HOSTS: list
    .default(['lookaside.fbsbx.com'])
    .describe('Meta hosts in addition to WHATSAPP_API from which received files are downloaded'),
  WHATSAPP_TIMEOUT_MS: ms
    .min(100)
    .default(10_000)
    .describe('Timeout in milliseconds for a response from the Cloud API'),
  WHATSAPP_CONCURRENCY: concurrency
    .default(32)
    .describe(
      'Maximum number of messages that one worker sends at the same time. One organisation can use up to a quarter of them.',
    ),
  WHATSAPP_ASSUME_OPEN: flag
    .default(false)
    .describe('Treat the 24-hour window as open for people without a known message'),
  WHATSAPP_HISTORY_DAYS: days.default(30).describe('Days that messages and their statuses are kept'),
}
