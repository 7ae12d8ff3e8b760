import { type Ground, oneServer } from '../chaos/ground.ts'
import type { Host, Network } from './hosts.ts'

export function hostGround({ address, hosts }: Network): Ground {
  return {
    host: address,
    database: oneServer(address),
    place(part, number) {
      const host = hostOf(hosts, number)
      return {
        ...part,
        env: { ...part.env, HOST: '127.0.0.1' },
        command: async () => host.command(await part.command()),
      }
    },
  }
}

export function hostOf(hosts: readonly Host[], number: number): Host {
  const host = hosts[(number - 1) % hosts.length]
  if (!host) throw new Error('No hosts are set up.')
  return host
}
