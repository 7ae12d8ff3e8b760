import { concurrency, text } from './values.ts'

export const web = {
  WEB_CONCURRENCY: concurrency
    .default(16)
    .describe(
      'Maximum number of concurrent web requests per worker. One organisation can use up to a quarter of them.',
    ),
  URLHAUS_AUTH_KEY: text
    .optional()
    .describe('Key for the URLhaus feed of malware URLs. Default: the feed is not fetched.'),
  SAFE_BROWSING_KEY: text
    .optional()
    .describe(
      'API key of Google Safe Browsing v5. With it, the Safe Browsing lists are a feed. For non-commercial use only.',
    ),
}
