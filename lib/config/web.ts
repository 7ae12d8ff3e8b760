import { concurrency, text } from './values.ts'

/** What the pool that fetches from the web, and the trust area, read. */
export const web = {
  WEB_CONCURRENCY: concurrency
    .default(16)
    .describe('fetches from the web at once in one worker; one organisation has a quarter of them at most'),
  URLHAUS_AUTH_KEY: text
    .optional()
    .describe('key with which URLhaus’ feed of malware URLs is fetched; default: it is not'),
  SAFE_BROWSING_KEY: text
    .optional()
    .describe('API key of Google Safe Browsing v5, whose lists are then a feed; for uses that are not commercial'),
}
