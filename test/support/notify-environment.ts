/** Imported before all else: a business number is set up, which nothing of these tests reaches. */
process.env.WHATSAPP_PHONE_NUMBER_ID = '1234567890'
