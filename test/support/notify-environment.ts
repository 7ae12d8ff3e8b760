/** Import this first: a business number is configured, but these tests do not use it. */
process.env.WHATSAPP_PHONE_NUMBER_ID = '1234567890'
