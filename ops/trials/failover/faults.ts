import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, type FaultContext, measureNextAccepted, measureNextEffect, waitUntil } from '../chaos/fault.ts'
import type { Cluster } from './cluster.ts'
import { startWriteProbe, type WriteProbe } from './door.ts'
import type { Figures } from './figures.ts'
import type { Node } from './node.ts'
import { measureFencing, writeToOldPrimary } from './old-primary.ts'
import { runSql } from './run-sql.ts'
import { startSilenceMeasurement } from './silence.ts'

/** Timeout in milliseconds for writes to succeed again. */
const limitMs = 10_000

/**
 * Period in milliseconds before the end of a lease in which a worker may declare it lost. The worker's last heartbeat
 * can be older.
 */
const leewayMs = 2_000

interface Blow {
  name: string
  what: string
  /** Causes the fault and returns failed checks. `ends` repairs the fault. Then `after` is called. */
  strike(given: Struck): Promise<{ broken?: string[]; figures?: Partial<Figures>; after?(): Promise<string[]> }>
}

interface Struck {
  arena: FaultContext
  cluster: Cluster
  primary: Node
  door: WriteProbe
  mending: AsyncDisposableStack
}

export const clusterFaults = (clusterOf: () => Cluster, told: (figures: Figures) => void): Fault[] =>
  blows.map((blow) => ({
    name: blow.name,
    what: blow.what,
    unseen: true,
    limit: () => limitMs,
    strike: (arena) => strike(blow, arena, clusterOf(), told),
  }))

async function strike(blow: Blow, arena: FaultContext, cluster: Cluster, told: (figures: Figures) => void) {
  const { workers, settings } = arena.stage
  await cluster.whole()
  const primary = await cluster.primary()
  const pids = workers.map(({ pid }) => pid)
  await using mending = new AsyncDisposableStack()
  const door = await startWriteProbe(cluster)
  mending.defer(() => door.stop())
  const silence = await startSilenceMeasurement(arena)
  mending.defer(() => silence.stop())
  const mends = mending.use(new AsyncDisposableStack())
  const { broken = [], figures, after } = await blow.strike({ arena, cluster, primary, door, mending: mends })
  await Promise.all([measureNextAccepted(arena), measureNextEffect(arena)])
  await mends.disposeAsync()
  await cluster.whole()
  broken.push(...((await after?.()) ?? []))
  await waitUntil('the read port leads to a standby', async () => {
    return (await runSql(cluster.replicas, 'select pg_is_in_recovery()')) === true || undefined
  })
  const [atDoor, { accepted, effects }] = [await door.end(), await silence.end()]
  const outlasted = accepted > settings.lease - leewayMs
  const ended = workers.filter(({ pid }, i) => pid !== pids[i]).length
  told({ fault: blow.name, accepted, door: atDoor.gap, effects, ...figures })
  return {
    recovery: accepted,
    outlasted,
    broken: [
      ...broken,
      ...atDoor.broken,
      ...(ended > 0 && !outlasted ? [`${ended} workers ended with their rooms, calls and channels`] : []),
    ],
  }
}

async function takenOver({ door, cluster }: Struck, old: Node): Promise<void> {
  await waitUntil('another host accepts rows', () => {
    const server = door.last()?.server
    return cluster.nodes.some((node) => node !== old && node.address === server) || undefined
  })
}

const blows: readonly Blow[] = [
  {
    name: 'primary-killed',
    what: 'kill -9 of the primary and its Patroni',
    async strike(struck) {
      const { primary, mending } = struck
      mending.defer(() => primary.patroni.back())
      await primary.patroni.away()
      await takenOver(struck, primary)
      return {}
    },
  },
  {
    name: 'primary-cut-off',
    what: 'the link of the primary’s host is cut, including its member of etcd',
    async strike(struck) {
      const { primary, mending } = struck
      mending.defer(() => primary.host.join().then(() => {}))
      const begun = performance.now()
      await primary.host.cut()
      const [fenced, stray] = [measureFencing(primary), writeToOldPrimary(primary)]
      await takenOver(struck, primary)
      const over = Math.round(performance.now() - begun)
      const { last, by } = await fenced
      const late = last > over ? [`the old primary accepted writes ${last - over} ms after the new one did`] : []
      const { acknowledged } = await stray
      return {
        figures: { fenced: by },
        broken: acknowledged ? [...late, 'a write on the disconnected host was confirmed'] : late,
      }
    },
  },
  {
    name: 'etcd-member-lost',
    what: 'kill -9 of the member that leads etcd',
    async strike({ arena, cluster, mending }) {
      const node = await cluster.etcdLeader()
      mending.defer(() => node.etcd.back())
      await node.etcd.away()
      await pause(arena.away)
      return {}
    },
  },
  {
    name: 'switchover',
    what: 'patronictl switchover',
    async strike(struck) {
      await struck.cluster.switchover()
      await takenOver(struck, struck.primary)
      return {}
    },
  },
  {
    name: 'patroni-killed',
    what: 'kill -9 of only the primary’s Patroni: its Postgres continues',
    async strike(struck) {
      const { primary, cluster, mending } = struck
      mending.defer(() => primary.letPatroni())
      await primary.killPatroni()
      await takenOver(struck, primary)
      const orphan = await waitUntil('the old primary responds', () => primary.isWritable())
      const stray = await writeToOldPrimary(primary)
      return {
        figures: { orphan },
        broken: stray.acknowledged ? ['a write sent directly to the old primary was confirmed'] : [],
        after: async () =>
          (await waitUntil('the rows can be read', async () => stray.isThere(await cluster.primary())))
            ? ['a write sent directly to the old primary reached the new one']
            : [],
      }
    },
  },
]
