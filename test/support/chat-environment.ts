/** Import this first: the organisation `dev` can post to servers on this machine, and a WhatsApp number is configured. */
process.env.WEBHOOK_LOCAL_ORG = 'dev'
process.env.WHATSAPP_PHONE_NUMBER_ID = '1234567890'
