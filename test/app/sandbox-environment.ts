// Import this module first: the configuration reads the environment once.
process.env.SIP_TRUNKS = 'sandbox=sip:127.0.0.1:5060'
