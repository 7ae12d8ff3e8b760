/** Import this first: tasks in the test's process hash codes with the same secret as the ingress, and calls have a trunk. */
process.env.SIGNING_SECRET = 's'.repeat(32)
process.env.SIP_TRUNKS = 'any=sip:127.0.0.1'
process.env.SIP_SHARED_NUMBER = '+3726000001'
