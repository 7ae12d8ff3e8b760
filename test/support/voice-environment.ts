/** Import this first: an ingress with a trunk accepts calls. The worker configures which one. */
process.env.SIP_TRUNKS = 'any=sip:127.0.0.1'
