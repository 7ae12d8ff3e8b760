import { isIP } from 'node:net'
import { type GeoFiles, getGeoDatabase } from '#tasks/geo/rules/database.ts'

/**
 * Returns the ISO 3166-1 alpha-2 country of an IP address, or `null` if it is unknown. Rejects if the data cannot be
 * read.
 */
export type CountryLookup = (ip: string) => Promise<string | null>

export function createCountries(files: GeoFiles): CountryLookup {
  return async (ip) => {
    if (isIP(ip) === 0) return null
    const database = await getGeoDatabase(files)
    return database.find(ip)?.record.country ?? null
  }
}

const codes = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR
KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG
NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO
SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA
ZM ZW`

/** All country codes that an IP address can have: ISO 3166-1 alpha-2, and XK, which location data uses for Kosovo. */
export const countryCodes: ReadonlySet<string> = new Set(codes.split(/\s+/))
