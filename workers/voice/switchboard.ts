import { setTimeout as pause } from 'node:timers/promises'
import type { Request, Response } from 'sip'
import { describe, Later } from '#lib/errors.ts'
import { every, type Timer } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { onceOnly } from '#lib/once-only.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as calls from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import * as switchboards from '#sql/voice/switchboards.ts'
import * as trunkStates from '#sql/voice/trunks.ts'
import type { CallControl } from '#tasks/voice/engine.ts'
import { Bridge } from './bridge.ts'
import { type SipEndpoint, transactionMs } from './endpoint.ts'
import { Leg } from './leg.ts'
import { answer, openPort, optionsTo, routeTo } from './port.ts'
import { type Trunk, trunkFor } from './trunk.ts'

export interface SwitchboardOptions {
  db: DatabasePool
  /** Its worker's id in `jobs.workers`. */
  workerId: string
  trunks: readonly [Trunk, ...Trunk[]]
  host: string
  port: number
  /** How trunks reach it; by default the address of its route to the first trunk. */
  publicAddress?: string | undefined
  capacity: number
  callsPerSecond: number
  /** Milliseconds of its worker's lease: without the database for so long, its calls are another's. */
  leaseMs: number
  /** Milliseconds between two looks at its calls and at those that others left. */
  lookMs?: number
  /** Milliseconds between two looks at the trunks; 0 for none. */
  checkMs?: number
}

/** All calls that this worker process holds. */
export interface Switchboard extends CallControl {
  /** How many it holds. */
  active(): number
  /** Hangs all of them up and lets go of the port. */
  close(): Promise<void>
}

/** Calls of a dead worker whose dialogs are ended at once; the others wait for the next look. */
const adoptedAtOnce = 50

/** Opens the SIP port of this worker, registers it, and begins to look after what dead ones left. */
export async function openSwitchboard(options: SwitchboardOptions): Promise<Switchboard> {
  const { db, trunks, capacity, callsPerSecond, leaseMs, lookMs = 500, checkMs = 15_000 } = options
  const id = options.workerId
  const dialogs = new Map<string, Leg>()
  const bridges = new Map<string, Bridge>()
  const runs = new Set<Promise<void>>()
  const unreachable = new Set<string>()
  const publicHost = options.publicAddress ?? (await routeTo(trunks[0]))
  const receiver = { request: (request: Request) => answer(endpoint, dialogs, request), stray }
  const endpoint: SipEndpoint = await openPort({ host: options.host, port: options.port, publicHost }, receiver)
  let lookedAt = performance.now()
  let nextTurn = 0
  let closing = false

  function stray(response: Response, from: { address: string; port: number }): void {
    dialogs.get(response.headers['call-id'])?.stray(response, from)
  }

  /** Learns who is to be hung up and which calls are another's by now, and takes the calls of those whose lease is over. */
  async function look(): Promise<void> {
    for (const { id: callId, taken } of await calls.news(db, id, [...bridges.keys()])) {
      if (taken) bridges.get(callId)?.abandon()
      else bridges.get(callId)?.stop('hung_up', 'api')
    }
    lookedAt = performance.now()
    const adopted = await calls.adopt(db, id, adoptedAtOnce)
    const found = await legs.ofCalls(
      db,
      adopted.map((call) => call.id),
    )
    for (const call of adopted) keep(endOrphan(call, found.get(call.id) ?? []))
  }

  async function endOrphan(call: calls.Call, ofCall: readonly legs.Leg[]): Promise<void> {
    log.warn({ call_id: call.id }, 'the worker of this call is gone: its dialogs are ended')
    await Promise.all(
      ofCall.map(async ({ dialog, trunk: name, ended_at }) => {
        const trunk = trunks.find((one) => one.name === name) ?? trunks[0]
        if (!dialog || ended_at || !trunk) return
        const leg = new Leg(endpoint, trunk, dialog)
        enter(leg)
        await leg.endOrphan()
        leave(leg)
      }),
    )
    const changes = ofCall.map(
      ({ leg, answered_at }) => ({ leg, status: answered_at ? 'completed' : 'failed' }) as const,
    )
    const ending = { status: 'failed', reason: 'worker_lost', ended_by: 'platform' } as const
    await calls.move(db, { id: call.id, switchboardId: id }, ending, changes)
  }

  function keep(work: Promise<void>): void {
    const run = work
      .catch((error) => log.error({ err: describe(error) }, 'a call could not be seen through'))
      .finally(() => runs.delete(run))
    runs.add(run)
  }

  const enter = (leg: Leg) => dialogs.set(leg.dialog.call_id, leg)
  /** What comes late is still known for a while. */
  const leave = (leg: Leg) => setTimeout(() => dialogs.delete(leg.dialog.call_id), transactionMs).unref()

  async function check(trunk: Trunk): Promise<void> {
    const begun = performance.now()
    const { status } = await endpoint.ask(optionsTo(endpoint, trunk), trunk.uri)
    if (closing) return
    const reachable = status !== 408 && status !== 503
    if (reachable) unreachable.delete(trunk.name)
    else unreachable.add(trunk.name)
    await trunkStates.note(db, {
      switchboard_id: id,
      name: trunk.name,
      reachable,
      rtt_ms: reachable ? Math.round((performance.now() - begun) * 10) / 10 : null,
      last_error: reachable ? null : status === 408 ? 'no answer' : 'not reachable',
    })
  }

  const failed = (error: Error) => {
    log.debug({ err: describe(error) }, 'a switchboard’s look failed')
    // Nobody may hold a call whose row it cannot write: others have it by now.
    if (performance.now() - lookedAt > leaseMs) for (const bridge of bridges.values()) bridge.abandon()
  }
  const checked = checkMs === 0 ? [] : trunks
  const timers: Timer[] = []
  const close = onceOnly(async () => {
    closing = true
    for (const bridge of bridges.values()) bridge.stop('shutdown', 'platform')
    await Promise.race([Promise.all(runs), pause(transactionMs, undefined, { ref: false })])
    const stopped = timers.map((timer) => timer.stop())
    endpoint.close()
    await Promise.all(stopped)
  })
  try {
    await switchboards.insert(db, { id, address: endpoint.sentBy, capacity, calls_per_second: callsPerSecond })
    timers.push(every(lookMs, look, failed), ...checked.map((trunk) => every(checkMs, () => check(trunk), failed)))
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
      if (bridges.size >= capacity) throw new Later(1_000, 'this worker holds as many calls as it may')
      const turn = Math.max(nextTurn, performance.now())
      nextTurn = turn + 1000 / callsPerSecond
      await pause(Math.max(0, turn - performance.now()), undefined, { signal })
      const call = await calls.claim(db, callId, id)
      if (!call) return
      const [a, b] = (await legs.ofCalls(db, [callId])).get(callId) ?? []
      const reachable = ({ name }: Trunk) => !unreachable.has(name)
      const [toA, toB] = [trunkFor(trunks, a?.number ?? '', reachable), trunkFor(trunks, b?.number ?? '', reachable)]
      if (!a || !b || !toA || !toB) {
        const ending = { status: 'failed', reason: 'no_trunk', ended_by: 'platform' } as const
        const both = (['a', 'b'] as const).map((leg) => ({ leg, status: 'failed' as const }))
        await calls.move(db, { id: callId, switchboardId: id }, ending, both)
        return
      }
      const ends = {
        a: Leg.to(a.number, call.caller_id, endpoint, toA),
        b: Leg.to(b.number, call.caller_id, endpoint, toB),
      }
      const bridge = new Bridge({
        db,
        call,
        switchboardId: id,
        legs: ends,
        address: publicHost,
        trunks: { a: toA.name, b: toB.name },
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
