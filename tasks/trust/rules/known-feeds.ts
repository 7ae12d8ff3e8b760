import type { NewFeed } from '#sql/trust/feeds.ts'

export const categories = ['malware', 'phishing', 'unwanted_software', 'harmful_app', 'scam', 'spam', 'other'] as const

/**
 * URLs that distribute malware, added in the last 30 days (urlhaus.abuse.ch). Its provider requires 5 minutes between
 * fetches.
 */
export const urlhaus: NewFeed = {
  name: 'urlhaus',
  kind: 'urlhaus',
  url: 'https://urlhaus.abuse.ch/downloads/csv_recent/',
  category: 'malware',
  every_seconds: 900,
  stale_after_seconds: 6 * 3600,
}

/** The threat lists of Google Safe Browsing v5, only for non-commercial use. */
export const safeBrowsing: NewFeed = {
  name: 'safe-browsing',
  kind: 'safe_browsing',
  url: 'https://safebrowsing.googleapis.com/',
  category: 'other',
  every_seconds: 1800,
  stale_after_seconds: 6 * 3600,
}
