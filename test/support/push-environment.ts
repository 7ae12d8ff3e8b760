/** Imported before all else: push services on loopback may be named by devices. */
process.env.OUTBOUND_ALLOWED = '127.0.0.1'
