import { concurrency, days, flag, http, ms } from './values.ts'

export const sms = {
  SMS_SANDBOX: flag
    .default(true)
    .describe('`npm start` runs a sandbox of an SMS provider with a test phone for the development organisation'),
  SMS_TEST_PHONE: http
    .optional()
    .describe('Page of the sandbox’s test phone. `npm start` sets it. The dashboard links to the page.'),
  SMS_TWILIO_API: http.default('https://api.twilio.com').describe('Server of the Twilio API'),
  SMS_VONAGE_API: http.default('https://api.nexmo.com').describe('Server of the Vonage Messages API'),
  SMS_TIMEOUT_MS: ms.min(100).default(10_000).describe('Timeout in milliseconds for a response from an SMS provider'),
  SMS_CONCURRENCY: concurrency
    .default(32)
    .describe(
      'Maximum number of text messages that one worker sends at the same time. One organisation can use up to a quarter of them.',
    ),
  SMS_HISTORY_DAYS: days.default(30).describe('Days that text messages and their statuses are kept'),
}
