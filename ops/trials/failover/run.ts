import { access } from 'node:fs/promises'
import type { StageGround } from '../chaos/ground.ts'
import type { Row } from '../chaos/round.ts'
import { type RunSettings, run } from '../chaos/run.ts'
import { createNetwork, type Network, whyNoHosts } from '../fleet/hosts.ts'
import { Cluster } from './cluster.ts'
import { clusterFaults } from './faults.ts'
import type { Figures } from './figures.ts'
import { findFullPostgres } from './programs.ts'

const programs = {
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  pgbouncer: '/usr/sbin/pgbouncer',
}

/** Returns the reason why the cluster cannot run here, or `undefined` if it can. */
export async function whyNoCluster(): Promise<string | undefined> {
  const found = await Promise.allSettled(Object.values(programs).map((path) => access(path)))
  const lacking = Object.keys(programs).filter((_, i) => found[i]?.status === 'rejected')
  if (lacking.length > 0) return `not installed: ${lacking.join(', ')} (ops/setup.sh deep)`
  return (
    (await whyNoHosts()) ??
    (await findFullPostgres().then(
      () => undefined,
      (error: Error) => error.message,
    ))
  )
}

export const faultNames: readonly string[] = clusterFaults(noneYet, () => {}).map(({ name }) => name)

export async function runFailover(
  settings: Omit<RunSettings, 'rounds' | 'ground'> & { rounds: number },
  only: readonly string[] = [],
  told: (row: Row) => void = () => {},
): Promise<{ rows: Row[]; figures: Figures[] }> {
  const unknown = only.filter((name) => !faultNames.includes(name))
  if (unknown.length > 0)
    throw new Error(`Unknown fault: ${unknown.join(', ')}. The faults are ${faultNames.join(', ')}.`)
  const impossible = await whyNoCluster()
  if (impossible) throw new Error(impossible)
  await using ends = new AsyncDisposableStack()
  const network = await createNetwork(3, ends)
  const { ground, clusterOf } = clusterGround(network)
  const figures: Figures[] = []
  const faults = clusterFaults(clusterOf, (one) => figures.push(one))
  const wanted = faults.filter(({ name }) => only.length === 0 || only.includes(name)).map((fault) => [fault])
  const rounds = Array.from({ length: settings.rounds }, () => wanted).flat()
  return { rows: await run({ ...settings, rounds, ground }, told), figures }
}

/**
 * Returns a ground with such a cluster as its database. `clusterOf` returns the cluster after the stage has started.
 */
function clusterGround(network: Network): { ground: StageGround; clusterOf(): Cluster } {
  let raised: Cluster | undefined
  return {
    ground: {
      host: network.address,
      async database(site) {
        const { cluster, sessions, transactions } = await Cluster.start(site, network)
        raised = cluster
        return { url: sessions, settings: { DATABASE_POOLED_URL: transactions } }
      },
    },
    clusterOf: () => raised ?? noneYet(),
  }
}

function noneYet(): never {
  throw new Error('The cluster has not been started.')
}
