/** Import this first: settings that `npm start` shares among organisations while nothing leaves the machine. */
process.env.MAIL_SHARED_DOMAIN = 'dev.example'
process.env.SIP_SHARED_NUMBER = '+3726000001'
process.env.SIP_TRUNKS = 'sandbox=sip:127.0.0.1'
