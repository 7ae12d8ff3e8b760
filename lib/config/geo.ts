import { text } from './values.ts'

/** Databases that locate IP addresses, for the geo area and for playback limited to countries. */
export const geo = {
  GEO_MMDB_PATH: text
    .optional()
    .describe('MaxMind DB file of cities or countries. Default: the data of an npm package, which becomes outdated.'),
  GEO_ASN_MMDB_PATH: text.optional().describe('MaxMind DB file of autonomous systems'),
}
