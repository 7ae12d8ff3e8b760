/** Imported before all else: the keys with which feeds are fetched. */
process.env.URLHAUS_AUTH_KEY = 'the-key-of-urlhaus'
process.env.SAFE_BROWSING_KEY = 'the-key-of-safe-browsing'
