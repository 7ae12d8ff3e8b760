import { z } from 'zod'
import { addressFlags } from '#tasks/geo/rules/address-flags.ts'
import type { GeoDatabase } from '#tasks/geo/rules/record.ts'
import { Instant } from '../http/instant.ts'

const Flag = z.boolean().nullable()

export const ShownFlags = z
  .object({
    tor: Flag.describe('True for a Tor exit'),
    hosting: Flag.describe('True for a hosting provider'),
    vpn: Flag.describe('True for a VPN provider'),
  })
  .describe('Entries in the operator’s lists. A flag is `null` if the operator has no list for it.')
  .meta({ id: 'geo.Flags' })

export const ShownLists = z
  .array(
    z.object({
      flag: z.enum(addressFlags),
      source: z.string().describe('Name of the list'),
      updated_at: Instant.describe('Time when the list was created or last modified'),
      entries: z.int(),
    }),
  )
  .describe('Lists that the flags are from')

type Flags = z.input<typeof ShownFlags>

const unknown: Flags = { tor: null, hosting: null, vpn: null }

export const findFlags = ({ flags }: GeoDatabase, ip: string, system: number | null): Flags =>
  flags ? flags.find(ip, system) : unknown

export const presentLists = ({ flags }: GeoDatabase): z.input<typeof ShownLists> =>
  flags
    ? flags
        .lists()
        .map(({ flag, list: { source, updatedAt, entries } }) => ({ flag, source, updated_at: updatedAt, entries }))
    : []
