/** Import this first: webhooks of the organisation `dev` can reach this machine, as after `npm start`. */
process.env.WEBHOOK_LOCAL_ORG = 'dev'
