import { z } from 'zod'
import { concurrency, days, flag, http, list, ms, text } from './values.ts'

/** What the whatsapp area and pool read; the names of Meta's things are Meta's. */
export const whatsapp = {
  WHATSAPP_SANDBOX: flag
    .default(true)
    .describe('`npm start` runs a sandbox of the Cloud API with a phone to try it, unless a number or a token is set'),
  WHATSAPP_PHONE_NUMBER_ID: text
    .regex(/^\w+$/, 'must be an id: letters and digits')
    .optional()
    .describe('id of the business phone number that messages come from; without, nothing is sent'),
  WHATSAPP_BUSINESS_ACCOUNT_ID: text
    .regex(/^\w+$/, 'must be an id: letters and digits')
    .optional()
    .describe('id of the WhatsApp business account (WABA) whose templates are listed'),
  WHATSAPP_ACCESS_TOKEN: text.optional().describe('token of a system user, for the Cloud API'),
  WHATSAPP_APP_SECRET: text.optional().describe('secret of the Meta app, by which its webhooks are signed'),
  WHATSAPP_VERIFY_TOKEN: text.optional().describe('what Meta proves itself with when the webhook is set up'),
  WHATSAPP_API: http.default('https://graph.facebook.com').describe('server of the Cloud API'),
  WHATSAPP_API_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/, 'must be a version: v23.0')
    .default('v23.0')
    .describe('version of the Graph API'),
  WHATSAPP_MEDIA_HOSTS: list
    .default(['lookaside.fbsbx.com'])
    .describe('hosts of Meta besides WHATSAPP_API from which files that people send are fetched'),
  WHATSAPP_TIMEOUT_MS: ms.min(100).default(10_000).describe('milliseconds that the Cloud API may take to answer'),
  WHATSAPP_CONCURRENCY: concurrency
    .default(32)
    .describe('messages that one worker sends at once; one organisation sends a quarter of them at most'),
  WHATSAPP_PAIR_INTERVAL_MS: ms
    .default(6_000)
    .describe('milliseconds between messages to one recipient, once the burst is spent'),
  WHATSAPP_PAIR_BURST: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(10)
    .describe('messages that may go to one recipient at once'),
  WHATSAPP_ASSUME_OPEN: flag
    .default(false)
    .describe('take the 24-hour window of people of whom no message is known for open'),
  WHATSAPP_HISTORY_DAYS: days.default(30).describe('days that messages and their statuses are kept'),
}
