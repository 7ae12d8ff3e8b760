import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest, unavailable } from '#lib/errors.ts'
import { isLanguageTag } from '#lib/language-tag.ts'
import { getGeoDatabase } from '#tasks/geo/rules/database.ts'
import type { GeoDatabase } from '#tasks/geo/rules/record.ts'
import { type Services, service } from '../http/container.ts'
import { route } from '../http/route.ts'
import { canonicalizeAddress, Location, locateAddress, presentData } from './locate.ts'

export const addresses = service<() => Promise<GeoDatabase>>({
  name: 'geo.addresses',
  open: () => () =>
    getGeoDatabase({
      city: config.GEO_MMDB_PATH,
      asn: config.GEO_ASN_MMDB_PATH,
      lists: { tor: config.GEO_TOR_LIST_PATH, hosting: config.GEO_HOSTING_LIST_PATH, vpn: config.GEO_VPN_LIST_PATH },
    }),
})

const mostAddresses = 100

const language = z
  .string()
  .max(35)
  .refine(isLanguageTag, 'must be a language tag, such as en or pt-BR')
  .transform((tag) => Intl.getCanonicalLocales(tag)[0] ?? 'en')
  .default('en')
  .describe('Language of names (BCP 47). Default: `en`.')
const query = z.object({ lang: language })

const ofCaller = {
  method: 'GET',
  description:
    'Uses the client address that trusted proxies report. `X-Forwarded-For` is used only if a proxy in `TRUSTED_PROXIES` set it.',
  scope: 'geo:read',
  query,
  status: 200,
  reply: Location,
} as const

export const caller = route({
  ...ofCaller,
  path: '',
  testKeys: 'shared',
  locks: [],
  summary: 'Locate the calling IP address',
  handle: ({ ip, query, services }) => one(services, ip, query.lang, 'ip'),
})

export const me = route({
  ...ofCaller,
  path: '/me',
  testKeys: 'shared',
  locks: [],
  summary: 'Locate the calling IP address, as `GET /v1/geo`',
  handle: ({ ip, query, services }) => one(services, ip, query.lang, 'ip'),
})

export const read = route({
  method: 'GET',
  path: '/{ip}',
  summary: 'Locate an IP address',
  description:
    'Addresses that are not used on the public internet have `bogon: true` and a `bogon_type`. Unknown values are `null`.',
  tool: { name: 'look_up_ip' },
  scope: 'geo:read',
  testKeys: 'shared',
  locks: [],
  query,
  status: 200,
  reply: Location,
  async handle({ params, query, services }) {
    return await one(services, params.ip, query.lang, 'path.ip')
  },
})

export const batch = route({
  method: 'POST',
  path: '/batch',
  repeatable: true,
  summary: 'Locate up to 100 IP addresses',
  description:
    'Results are in the order of the request, including duplicates. An invalid address affects only its own result.',
  scope: 'geo:read',
  testKeys: 'shared',
  locks: [],
  itemsApart: 'ips',
  body: z.strictObject({
    ips: z.array(z.string().max(100)).min(1).max(mostAddresses),
    lang: language,
  }),
  status: 200,
  reply: z.object({
    results: z.array(
      Location.omit({ source: true, lists: true, attribution: true })
        .partial()
        .extend({ ip: z.string(), status: z.enum(['ok', 'bogon', 'not_found', 'invalid']) }),
    ),
    count: z.int(),
    source: Location.shape.source,
    lists: Location.shape.lists,
    attribution: z.string(),
  }),
  example: { body: { ips: ['1.1.1.1', '2606:4700:4700::1111', '10.0.0.1'] } },
  async handle({ body, services }) {
    const database = await opened(services)
    const results = body.ips.map((ip) => {
      const address = canonicalizeAddress(ip)
      if (!address) return { ip, status: 'invalid' as const }
      return { ...locateAddress(database, address, body.lang), ip }
    })
    return { results, count: results.length, ...presentData(database) }
  },
})

async function one(services: Services, ip: string, language: string, field: string) {
  const address = canonicalizeAddress(ip)
  if (!address) throw badRequest([{ field, issue: 'must be an IPv4 or IPv6 address' }])
  const database = await opened(services)
  return { ...locateAddress(database, address, language), ...presentData(database) }
}

const opened = (services: Services): Promise<GeoDatabase> =>
  services(addresses)().catch(() => {
    throw unavailable('The IP address data is temporarily unavailable. Try again later.')
  })
