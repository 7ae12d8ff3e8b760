import { text } from './values.ts'

export const geo = {
  GEO_MMDB_PATH: text
    .optional()
    .describe('MaxMind DB file of cities or countries. Default: the data of an npm package, which becomes outdated.'),
  GEO_ASN_MMDB_PATH: text.optional().describe('MaxMind DB file of autonomous systems'),
}
