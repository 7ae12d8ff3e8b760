import { type StageGround, singleServerDatabase } from '../chaos/ground.ts'
import type { Host, Network } from './hosts.ts'

export function hostGround({ address, hosts }: Network): StageGround {
  return {
    host: address,
    database: singleServerDatabase(address),
    place(part, number) {
      const host = getWorkerHost(hosts, number)
      return {
        ...part,
        env: { ...part.env, HOST: '127.0.0.1' },
        command: async () => host.command(await part.command()),
      }
    },
  }
}

export function getWorkerHost(hosts: readonly Host[], number: number): Host {
  const host = hosts[(number - 1) % hosts.length]
  if (!host) throw new Error('No hosts are set up.')
  return host
}
