import type { NewFeed } from '#sql/trust/feeds.ts'

/** What feeds list, in one vocabulary. */
export const categories = ['malware', 'phishing', 'unwanted_software', 'harmful_app', 'scam', 'spam', 'other'] as const

/** URLs from which malware is spread, those added in the last 30 days (urlhaus.abuse.ch); its keeper asks for 5 minutes between two fetches. */
export const urlhaus: NewFeed = {
  name: 'urlhaus',
  kind: 'urlhaus',
  url: 'https://urlhaus.abuse.ch/downloads/csv_recent/',
  category: 'malware',
  every_seconds: 900,
  stale_after_seconds: 6 * 3600,
}

/** The threat lists of Google Safe Browsing v5, for uses that are not commercial. */
export const safeBrowsing: NewFeed = {
  name: 'safe-browsing',
  kind: 'safe_browsing',
  url: 'https://safebrowsing.googleapis.com/',
  category: 'other',
  every_seconds: 1800,
  stale_after_seconds: 6 * 3600,
}
