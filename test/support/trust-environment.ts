/** Import this first: the keys for fetching feeds. */
process.env.URLHAUS_AUTH_KEY = 'the-key-of-urlhaus'
process.env.SAFE_BROWSING_KEY = 'the-key-of-safe-browsing'
