/** Import this first: test receivers are on loopback with plain HTTP, and this process checks their URLs. */
process.env.OUTBOUND_ALLOWED = '127.0.0.1'
process.env.WEBHOOK_HTTP = 'true'
