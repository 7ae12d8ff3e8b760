/** Imported before all else: an ingress with a trunk takes calls; which one is the worker's to know. */
process.env.SIP_TRUNKS = 'any=sip:127.0.0.1'
