/** Import this first: devices can use push services on loopback. */
process.env.OUTBOUND_ALLOWED = '127.0.0.1'
