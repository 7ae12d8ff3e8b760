import { unwatchFile, watchFile } from 'node:fs'
import { log } from '#lib/log.ts'
import { type AddressList, readAddressList } from './address-list.ts'

export const addressFlags = ['tor', 'hosting', 'vpn'] as const

export type AddressFlag = (typeof addressFlags)[number]

/** Paths of the lists. A flag without a list is unknown. */
export type FlagFiles = { [flag in AddressFlag]?: string | undefined }

/** `null` if the operator has no list for the flag, or the list cannot be read. */
export type Flags = Record<AddressFlag, boolean | null>

export interface FlagLists {
  find(ip: string, system: number | null): Flags
  lists(): { flag: AddressFlag; list: AddressList }[]
}

/** Interval in milliseconds at which a process looks for a new version of a list. */
const interval = 5_000

/** Opens the lists. When a file is replaced, it is read again. If the new file is invalid, the previous list remains. */
export async function openFlagLists(files: FlagFiles): Promise<FlagLists> {
  const known = new Map<AddressFlag, AddressList>()
  await Promise.all(
    addressFlags.map(async (flag) => {
      const path = files[flag]
      if (path === undefined) return
      const read = async () => {
        const list = await readAddressList(path).catch((error: Error) => {
          log.error({ err: error.message, flag }, 'could not read a list of IP addresses')
        })
        if (list) known.set(flag, list)
        if (list?.invalid) log.warn({ flag, invalid: list.invalid }, 'a list of IP addresses has invalid lines')
      }
      await read()
      unwatchFile(path)
      watchFile(path, { interval, persistent: false }, () => void read())
    }),
  )
  return {
    find: (ip, system) =>
      Object.fromEntries(addressFlags.map((flag) => [flag, known.get(flag)?.has(ip, system) ?? null])) as Flags,
    lists: () => [...known].map(([flag, list]) => ({ flag, list })),
  }
}
