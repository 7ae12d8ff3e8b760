import { setTimeout as pause } from 'node:timers/promises'
import { describe, Later } from '#lib/errors.ts'
import { runEvery, type Timer } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { runOnlyOnce } from '#lib/once-only.ts'
import type { CallControl, CallRecords, OrphanedCall } from '#tasks/voice/engine.ts'
import { isReachable, selectTrunk } from '#tasks/voice/rules/trunks.ts'
import { Bridge } from './bridge.ts'
import { type SipEndpoint, transactionMs } from './endpoint.ts'
import { Leg } from './leg.ts'
import type { Peer } from './peer.ts'
import { createOptionsRequest, findLocalAddress, openPort, respondToRequest } from './port.ts'
import { minSeconds, type SessionSettings } from './session-timer.ts'
import type { Request, Response } from './sip/library.ts'
import type { TlsKeys } from './streams.ts'
import type { Trunk } from './trunk.ts'

export interface SwitchboardOptions {
  records: CallRecords
  trunks: readonly [Trunk, ...Trunk[]]
  host: string
  port: number
  /** Address at which trunks reach the worker. Default: the local address of the route to the first trunk. */
  publicAddress?: string | undefined
  tls?: (TlsKeys & { port: number }) | undefined
  session?: SessionSettings
  capacity: number
  callsPerSecond: number
  /**
   * Lease of the worker in milliseconds. If the database is unavailable for this time, the worker's calls belong to
   * another worker.
   */
  leaseMs: number
  /** Interval in milliseconds between checks of the worker's calls and of orphaned calls. */
  lookMs?: number
  /** Interval in milliseconds between checks of trunks. 0 disables the checks. */
  checkMs?: number
}

export interface Switchboard extends CallControl {
  active(): number
  close(): Promise<void>
}

export async function openSwitchboard(options: SwitchboardOptions): Promise<Switchboard> {
  const { records, trunks, capacity, callsPerSecond, leaseMs, lookMs = 500, checkMs = 15_000 } = options
  const session = options.session ?? { expires: 1_800, least: minSeconds }
  const dialogs = new Map<string, Leg>()
  const bridges = new Map<string, Bridge>()
  const runs = new Set<Promise<void>>()
  const unreachable = new Set<string>()
  const publicHost = options.publicAddress ?? (await findLocalAddress(trunks[0]))
  const receiver = { request: (request: Request) => respondToRequest(endpoint, dialogs, request), stray }
  const { host, port, tls } = options
  const tcp = trunks.some(({ transport }) => transport === 'TCP')
  const endpoint: SipEndpoint = await openPort({ host, port, publicHost, tcp, ...(tls && { tls }) }, receiver)
  let lookedAt = performance.now()
  let nextDialAt = 0
  let closing = false

  function stray(response: Response, from: Peer): void {
    dialogs.get(response.headers['call-id'])?.stray(response, from)
  }

  async function look(): Promise<void> {
    for (const { id: callId, taken } of await records.news([...bridges.keys()])) {
      if (taken) bridges.get(callId)?.abandon()
      else bridges.get(callId)?.stop('hung_up', 'api')
    }
    lookedAt = performance.now()
    for (const orphan of await records.adopt()) keep(endOrphan(orphan))
  }

  async function endOrphan(orphan: OrphanedCall): Promise<void> {
    log.warn({ call_id: orphan.call.id }, 'the worker of this call is dead; ending its dialogs')
    await Promise.all(
      orphan.legs.map(async ({ dialog, trunk: name, ended_at }) => {
        const trunk = trunks.find((one) => one.name === name) ?? trunks[0]
        if (!dialog || ended_at || !trunk) return
        const leg = new Leg(endpoint, trunk, dialog)
        enter(leg)
        await leg.endOrphan()
        leave(leg)
      }),
    )
    await records.endOrphan(orphan)
  }

  function keep(work: Promise<void>): void {
    const run = work
      .catch((error) => log.error({ err: describe(error) }, 'a call could not be completed'))
      .finally(() => runs.delete(run))
    runs.add(run)
  }

  const enter = (leg: Leg) => dialogs.set(leg.dialog.call_id, leg)
  const leave = (leg: Leg) => setTimeout(() => dialogs.delete(leg.dialog.call_id), transactionMs).unref()

  async function check(trunk: Trunk): Promise<void> {
    const begun = performance.now()
    const { status } = await endpoint.ask(createOptionsRequest(endpoint, trunk), trunk.uri)
    const rttMs = performance.now() - begun
    if (closing) return
    if (isReachable(status)) unreachable.delete(trunk.name)
    else unreachable.add(trunk.name)
    await records.noteTrunk(trunk.name, status, rttMs)
  }

  const failed = (error: Error) => {
    log.debug({ err: describe(error) }, 'a check of a switchboard failed')
    // A worker that cannot write the row of a call must give up the call, because another worker can have it.
    if (performance.now() - lookedAt > leaseMs) for (const bridge of bridges.values()) bridge.abandon()
  }
  const checked = checkMs === 0 ? [] : trunks
  const timers: Timer[] = []
  const close = runOnlyOnce(async () => {
    closing = true
    for (const bridge of bridges.values()) bridge.stop('shutdown', 'platform')
    await Promise.race([Promise.all(runs), pause(transactionMs, undefined, { ref: false })])
    const stopped = timers.map((timer) => timer.stop())
    endpoint.close()
    await Promise.all(stopped)
  })
  try {
    await records.register({ address: endpoint.sentBy, capacity, callsPerSecond })
    timers.push(
      runEvery(lookMs, look, failed),
      ...checked.map((trunk) => runEvery(checkMs, () => check(trunk), failed)),
    )
    for (const trunk of checked) void check(trunk).catch(failed)
    await look()
  } catch (error) {
    await close()
    throw error
  }

  return {
    active: () => bridges.size,
    async dial(callId, signal) {
      if (closing) throw new Later(1_000)
      if (bridges.size >= capacity) throw new Later(1_000, 'this worker has reached its maximum number of calls')
      const dialAt = Math.max(nextDialAt, performance.now())
      nextDialAt = dialAt + 1000 / callsPerSecond
      await pause(Math.max(0, dialAt - performance.now()), undefined, { signal })
      const reachable = ({ name }: Trunk) => !unreachable.has(name)
      const plan = await records.begin(callId, (number) => selectTrunk(trunks, number, reachable))
      if (!plan) return
      const { call, a, b } = plan
      const ends = {
        a: Leg.to(a.number, call.caller_id, endpoint, a.trunk, session),
        b: Leg.to(b.number, call.caller_id, endpoint, b.trunk, session),
      }
      const bridge = new Bridge({
        records,
        call,
        legs: ends,
        address: publicHost,
        trunks: { a: a.trunk.name, b: b.trunk.name },
      })
      bridges.set(callId, bridge)
      for (const leg of Object.values(ends)) enter(leg)
      keep(
        bridge.run().finally(() => {
          bridges.delete(callId)
          for (const leg of Object.values(ends)) leave(leg)
        }),
      )
    },
    close,
  }
}
