import { setTimeout as pause } from 'node:timers/promises'
import { type Arena, eventually, type Fault, nextAccepted, nextEffect } from '../chaos/fault.ts'
import type { Cluster } from './cluster.ts'
import { type DoorWatch, watchDoor } from './door.ts'
import type { Figures } from './figures.ts'
import type { Node } from './node.ts'
import { fencedAfter, strayWrite } from './old-primary.ts'
import { runSql } from './run-sql.ts'
import { watchSilence } from './silence.ts'

/** Milliseconds in which all must be written again. */
const limitMs = 10_000

/** Milliseconds before its lease is over in which a worker may take it for lost: its last beat was a while ago. */
const leewayMs = 2_000

/** What a fault does to the cluster, between the watch's beginning and its end. */
interface Blow {
  name: string
  what: string
  /** Strikes; what it returns mends what it did, and tells what did not hold. */
  strike(given: Struck): Promise<() => Promise<{ broken: string[]; figures?: Partial<Figures> }>>
}

interface Struck {
  arena: Arena
  cluster: Cluster
  /** Who is the primary when it strikes. */
  primary: Node
  door: DoorWatch
}

/** Faults of the hosts that hold the database; each round's figures are given to `told`. */
export const clusterFaults = (clusterOf: () => Cluster, told: (figures: Figures) => void): Fault[] =>
  blows.map((blow) => ({
    name: blow.name,
    what: blow.what,
    unseen: true,
    limit: () => limitMs,
    strike: (arena) => strike(blow, arena, clusterOf(), told),
  }))

async function strike(blow: Blow, arena: Arena, cluster: Cluster, told: (figures: Figures) => void) {
  const { workers, settings } = arena.stage
  await cluster.whole()
  const primary = await cluster.primary()
  const pids = workers.map(({ pid }) => pid)
  const door = await watchDoor(cluster)
  const silence = await watchSilence(arena)
  const mend = await blow.strike({ arena, cluster, primary, door })
  await Promise.all([nextAccepted(arena), nextEffect(arena)])
  const { broken, figures } = await mend()
  await cluster.whole()
  await eventually('the door of the read side led to a standby', async () => {
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
      ...(ended > 0 && !outlasted ? [`${ended} workers ended, and their rooms, calls and channels with them`] : []),
    ],
  }
}

/** Waits until another than `old` takes rows. */
async function takenOver({ door, cluster }: Struck, old: Node): Promise<void> {
  await eventually('another host took rows', () => {
    const server = door.last()?.server
    return cluster.nodes.some((node) => node !== old && node.address === server) || undefined
  })
}

const blows: readonly Blow[] = [
  {
    name: 'primary-killed',
    what: 'kill -9 of the primary and its Patroni',
    async strike(struck) {
      const { primary } = struck
      await primary.patroni.away()
      await takenOver(struck, primary)
      return async () => {
        await primary.patroni.back()
        return { broken: [] }
      }
    },
  },
  {
    name: 'primary-cut-off',
    what: 'the link of the primary’s host goes, and its member of etcd with it',
    async strike(struck) {
      const { primary } = struck
      const begun = performance.now()
      await primary.host.cut()
      const fenced = fencedAfter(primary)
      const stray = strayWrite(primary)
      await takenOver(struck, primary)
      const over = Math.round(performance.now() - begun)
      return async () => {
        const { last, by } = await fenced
        const { acknowledged } = await stray
        await primary.host.join()
        return {
          figures: { fenced: by },
          broken: [
            ...(last > over ? [`the old primary took writes ${last - over} ms after the new one did`] : []),
            ...(acknowledged ? ['a write on the host that was cut off was acknowledged'] : []),
          ],
        }
      }
    },
  },
  {
    name: 'etcd-member-lost',
    what: 'kill -9 of the member that leads etcd',
    async strike({ arena, cluster }) {
      const node = await cluster.etcdLeader()
      await node.etcd.away()
      await pause(arena.away)
      return async () => {
        await node.etcd.back()
        return { broken: [] }
      }
    },
  },
  {
    name: 'switchover',
    what: 'patronictl switchover',
    async strike(struck) {
      await struck.cluster.switchover()
      await takenOver(struck, struck.primary)
      return async () => ({ broken: [] })
    },
  },
  {
    name: 'patroni-killed',
    what: 'kill -9 of the primary’s Patroni alone: its Postgres goes on',
    async strike(struck) {
      const { primary, cluster } = struck
      await primary.killPatroni()
      await takenOver(struck, primary)
      const orphan = await primary.isWritable()
      const stray = await strayWrite(primary)
      return async () => {
        await primary.letPatroni()
        await cluster.whole()
        const kept = await stray.isThere(await cluster.primary())
        return {
          figures: { orphan },
          broken: [
            ...(stray.acknowledged ? ['a write sent straight to the old primary was acknowledged'] : []),
            ...(kept ? ['a write sent straight to the old primary came to the new one'] : []),
          ],
        }
      }
    },
  },
]
