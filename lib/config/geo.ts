import { text } from './values.ts'

/** What tells where addresses are: the geo area, and playback that is limited to countries. */
export const geo = {
  GEO_MMDB_PATH: text
    .optional()
    .describe('MaxMind DB file of cities or countries; default: the data of an npm package, which age'),
  GEO_ASN_MMDB_PATH: text.optional().describe('MaxMind DB file of autonomous systems'),
}
