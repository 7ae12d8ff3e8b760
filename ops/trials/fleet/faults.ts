import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import type { Actor } from '../chaos/actor.ts'
import {
  areTakenOver,
  type Fault,
  type FaultContext,
  measureNextEffect,
  stopBusyWorker,
  waitUntil,
  withBusyWorker,
} from '../chaos/fault.ts'
import { getWorkerHost } from './ground.ts'
import type { Host, LinkKind, Network } from './hosts.ts'

const afterLease = ({ settings }: FaultContext['stage']) => settings.lease + 3_000

export function hostFaults(network: Network, hasClocks: boolean): Fault[] {
  const hostOfWorker = ({ stage }: FaultContext, worker: Actor) =>
    getWorkerHost(network.hosts, stage.workers.indexOf(worker) + 1)

  /** Disconnects or kills the host of a busy worker, and waits until its jobs run elsewhere. */
  async function strikeHost(
    arena: FaultContext,
    go: (host: Host, pid: number) => Promise<void>,
    back: (host: Host) => Promise<void>,
  ) {
    return await withBusyWorker(arena, async (worker, pid) => {
      const host = hostOfWorker(arena, worker)
      const had = await stopBusyWorker(arena, pid)
      const begun = performance.now()
      try {
        await go(host, pid)
        await waitUntil('its jobs run elsewhere', () => areTakenOver(arena.stage.db, had))
      } finally {
        await back(host)
      }
      const recovery = performance.now() - begun
      await waitUntil('its worker has restarted', () => (worker.pid !== undefined && worker.pid !== pid) || undefined)
      await effectOf(arena, worker)
      return { recovery, broken: [] }
    })
  }

  const cutOff: Fault = {
    name: 'host-cut-off',
    what: 'the link of a host is cut, and restored when its jobs run elsewhere',
    limit: afterLease,
    strike: (arena) =>
      strikeHost(
        arena,
        async (host, pid) => {
          await host.cut()
          process.kill(pid, 'SIGCONT')
        },
        (host) => host.join().then(() => {}),
      ),
  }
  const lost: Fault = {
    name: 'host-lost',
    what: 'a host loses power: its link and all its processes fail together',
    limit: afterLease,
    strike: (arena) =>
      strikeHost(
        arena,
        async (host) => {
          await host.cut()
          await host.kill()
        },
        (host) => host.join().then(() => {}),
      ),
  }
  const clocks: Fault = {
    name: 'clocks-off',
    what: 'the clock of one host an hour ahead, and of another an hour behind',
    impossible: () => (hasClocks ? undefined : 'libfaketime is not installed'),
    async strike(arena) {
      const { workers } = arena.stage
      const begun = performance.now()
      const restarted = async (skews: readonly string[]) => {
        for (const [n, host] of network.hosts.entries()) host.skew = skews[n] ?? ''
        for (const worker of workers) await worker.away()
        for (const worker of workers) await worker.back()
      }
      await restarted(['+1h', '-1h'])
      for (const worker of workers) await effectOf(arena, worker)
      const recovery = performance.now() - begun
      await pause(arena.away)
      await restarted([])
      return { recovery, broken: [] }
    },
  }
  return [cutOff, lost, ...network.kinds.map((kind) => slowLink(network, kind)), clocks]
}

const sentences: Record<LinkKind, string> = {
  narrow: 'the link of a host at 2 Mbit/s',
  far: 'the link of a host at 10 Mbit/s, 80 ms away, with 1 % loss',
}

const slowLink = ({ hosts }: Network, kind: LinkKind): Fault => ({
  name: `link-${kind}`,
  what: sentences[kind],
  async strike(arena) {
    const host = arena.random.pick(hosts)
    const worker = arena.stage.workers[hosts.indexOf(host)]
    if (!worker) throw new Error(`${host.name} has no worker.`)
    const { pid } = worker
    const begun = performance.now()
    try {
      await host.slow(kind)
      await effectOf(arena, worker)
      await pause(arena.away)
      await effectOf(arena, worker)
    } finally {
      await host.undo()
    }
    await measureNextEffect(arena)
    const broken = worker.pid === pid ? [] : [`the worker on ${host.name} ended during the fault`]
    return { recovery: performance.now() - begun - arena.away, broken }
  },
})

async function effectOf({ stage: { db } }: FaultContext, worker: Actor): Promise<void> {
  const LastEffect = z.object({ last: z.number() })
  const last = (pid: number) =>
    db.oneFirst(sql.type(LastEffect)`select coalesce(max(id), 0) as last from chaos.effects where pid = ${pid}`)
  let seen: { pid: number; last: number } | undefined
  await waitUntil('the worker has an effect', async () => {
    const { pid } = worker
    if (pid === undefined) return undefined
    const now = { pid, last: await last(pid) }
    if (seen?.pid !== pid) seen = now
    return now.last > seen.last || undefined
  })
}
