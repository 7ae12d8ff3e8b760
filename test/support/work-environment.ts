/** Import this first: test servers are on loopback with plain HTTP, and this process seals the secrets of jobs. */
import { signingSecret } from './signing-secret.ts'

process.env.OUTBOUND_ALLOWED = '127.0.0.1'
process.env.WEBHOOK_HTTP = 'true'
process.env.SIGNING_SECRET = signingSecret
