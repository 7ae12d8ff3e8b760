/** Imported before all else: what `npm start` shares among organisations, as nothing of it leaves. */
process.env.MAIL_SHARED_DOMAIN = 'dev.example'
process.env.SIP_SHARED_NUMBER = '+3726000001'
process.env.SIP_TRUNKS = 'sandbox=sip:127.0.0.1'
