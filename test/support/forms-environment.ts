import { signingSecret } from './signing-secret.ts'

/** Import this first: tasks in this process sign links, as workers do. */
process.env.SIGNING_SECRET = signingSecret
