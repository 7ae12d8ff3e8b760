import countryToCurrency from 'country-to-currency'
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { GeoRecord, LocalizedNames } from '#tasks/geo/rules/record.ts'
import { getContinent, getContinentRegion, isInEuropeanUnion } from './continents.ts'

const PlaceName = z.object({ code: z.string(), name: z.string().nullable() })

export const Place = z
  .object({
    continent: PlaceName.nullable(),
    country: PlaceName.extend({
      is_eu: z.boolean().describe('True for a member state of the European Union'),
      currency: z.string().nullable().describe('Currency (ISO 4217). For example, `EUR`.'),
      calling_code: z.string().nullable().describe('Country calling code (ITU-T E.164). For example, `+372`.'),
    }).nullable(),
    region: PlaceName.nullable().describe('First subdivision of the country (ISO 3166-2)'),
    city: z.string().nullable(),
    postal_code: z.string().nullable(),
    location: z
      .object({ latitude: z.number(), longitude: z.number(), accuracy_radius_km: z.number().nullable() })
      .nullable()
      .describe('Centre of the place. The address is within the radius.'),
    timezone: z.string().nullable().describe('IANA time zone'),
  })
  .meta({ id: 'geo.Place' })

export type Place = z.infer<typeof Place>

const displayNames = new LRUCache<string, Intl.DisplayNames>({ max: 50 })

/**
 * Returns a record’s names in a language (canonical BCP 47 tag). Missing names are in English. The result of the last
 * language is cached with the record.
 */
export function getPlace(record: GeoRecord, language: string): Place {
  if (record.placeLanguage !== language) {
    record.place = makePlace(record, language)
    record.placeLanguage = language
  }
  return record.place as Place
}

function makePlace(record: GeoRecord, language: string): Place {
  const { country, region, location } = record
  const continent = record.continent ?? (country === null ? null : getContinent(country))
  return {
    continent:
      continent === null ? null : { code: continent, name: regionName(getContinentRegion(continent), language) },
    country:
      country === null
        ? null
        : {
            code: country,
            name: regionName(country, language),
            is_eu: isInEuropeanUnion(country),
            currency: getCurrency(country),
            calling_code: getCallingCode(country),
          },
    region: region === null ? null : { code: region.code, name: inLanguage(region.names, language) },
    city: record.city === null ? null : inLanguage(record.city, language),
    postal_code: record.postalCode,
    location:
      location === null
        ? null
        : { latitude: location.latitude, longitude: location.longitude, accuracy_radius_km: location.radius },
    timezone: record.timezone,
  }
}

const getCurrency = (country: string): string | null =>
  Object.hasOwn(countryToCurrency, country)
    ? (countryToCurrency[country as keyof typeof countryToCurrency] ?? null)
    : null

const getCallingCode = (country: string): string | null =>
  isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : null

function regionName(code: string, language: string): string | null {
  let names = displayNames.get(language)
  if (!names) {
    names = new Intl.DisplayNames([language, 'en'], { type: 'region', fallback: 'none' })
    displayNames.set(language, names)
  }
  return names.of(code) ?? null
}

const inLanguage = (names: LocalizedNames, language: string): string | null =>
  names[language] ?? names[language.split('-')[0] ?? ''] ?? names.en ?? null
