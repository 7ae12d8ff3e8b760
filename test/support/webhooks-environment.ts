/** Imported before all else: receivers of the tests are on loopback and speak plain HTTP, and this process checks their URLs. */
process.env.OUTBOUND_ALLOWED = '127.0.0.1'
process.env.WEBHOOK_HTTP = 'true'
