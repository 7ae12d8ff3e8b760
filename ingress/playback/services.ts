import { config } from '#lib/config.ts'
import { createDns, type Dns } from '#lib/network/dns.ts'
import { service } from '../http/container.ts'
import { type CountryLookup, createCountries } from './country.ts'

export const countryLookup = service<CountryLookup>({
  name: 'video.countries',
  open: () => createCountries({ city: config.GEO_MMDB_PATH, asn: config.GEO_ASN_MMDB_PATH }),
})

export const dns = service<Dns>({ name: 'video.dns', open: () => createDns() })
