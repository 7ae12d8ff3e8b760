import { config } from '#lib/config.ts'
import { createDns, type Dns } from '#lib/dns.ts'
import { service } from '../http/container.ts'
import { type CountryOf, createCountries } from './country.ts'

export const countryOf = service<CountryOf>({
  name: 'video.countries',
  open: () => createCountries({ city: config.GEO_MMDB_PATH, asn: config.GEO_ASN_MMDB_PATH }),
})

export const dns = service<Dns>({ name: 'video.dns', open: () => createDns() })
