/** Secret of the verification provider’s webhook. */
export const webhookSecret = `whsec_${Buffer.from('a secret of the tests alone, not short').toString('base64')}`

// Import this first, because the configuration is read once.
process.env.IDENTITY_WEBHOOK_SECRET = webhookSecret
