/** Import this first: headers of jobs are encrypted, and webhooks and jobs of the organisation `dev` can reach this machine. */
process.env.SIGNING_SECRET = 's'.repeat(32)
process.env.WEBHOOK_LOCAL_ORG = 'dev'
