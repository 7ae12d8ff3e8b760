import { text } from './values.ts'

export const geo = {
  GEO_MMDB_PATH: text
    .optional()
    .describe('MaxMind DB file of cities or countries. Default: the data of an npm package, which becomes outdated.'),
  GEO_ASN_MMDB_PATH: text.optional().describe('MaxMind DB file of autonomous systems'),
  GEO_TOR_LIST_PATH: text
    .optional()
    .describe(
      'Text file of Tor exit addresses: one IP address or network per line. Without it, `flags.tor` is `null`.',
    ),
  GEO_HOSTING_LIST_PATH: text
    .optional()
    .describe('Text file of hosting providers: IP addresses, networks or autonomous systems such as `AS64500`'),
  GEO_VPN_LIST_PATH: text.optional().describe('Text file of VPN providers, in the same format'),
}
