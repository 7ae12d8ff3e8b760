/** Import this first: calls go to a sandbox trunk that no worker of these tests uses. */
process.env.SIP_TRUNKS = 'sandbox=sip:127.0.0.1:5060'
