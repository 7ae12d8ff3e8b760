import type { LookupAddress, lookup } from 'node:dns'
import type { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

export const createLookup = (resolver: Resolver): typeof lookup =>
  ((
    hostname: string,
    options: { all?: boolean },
    done: (error: Error | null, found: string | LookupAddress[], family?: number) => void,
  ) => {
    addresses(resolver, hostname).then(
      (found) => {
        const [first] = found
        if (!first) done(Object.assign(new Error(`${hostname} does not resolve.`), { code: 'ENOTFOUND' }), '')
        else if (options.all) done(null, found)
        else done(null, first.address, first.family)
      },
      (error: Error) => done(error, ''),
    )
  }) as typeof lookup

async function addresses(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  if (isIP(name)) return [{ address: name, family: isIP(name) }]
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  return found.map((address) => ({ address, family: isIP(address) }))
}
