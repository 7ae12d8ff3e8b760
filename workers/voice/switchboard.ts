import { setTimeout as pause } from 'node:timers/promises'
import { describe, Later } from '#lib/errors.ts'
import { runEvery, type Timer } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { runOnlyOnce } from '#lib/once-only.ts'
import type { Call } from '#sql/voice/calls.ts'
import type { CallControl, CallPlan, CallRecords, OrphanedCall } from '#tasks/voice/engine.ts'
import { isReachable, selectTrunk } from '#tasks/voice/rules/trunks.ts'
import { Announcement } from './announcement.ts'
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
  const { trunks, host, port, tls } = options
  const publicHost = options.publicAddress ?? (await findLocalAddress(trunks[0]))
  const dialogs = new Map<string, Leg>()
  const tcp = trunks.some(({ transport }) => transport === 'TCP')
  const endpoint: SipEndpoint = await openPort(
    { host, port, publicHost, tcp, ...(tls && { tls }) },
    {
      request: (request: Request) => respondToRequest(endpoint, dialogs, request),
      stray: (response: Response, from: Peer) => dialogs.get(response.headers['call-id'])?.stray(response, from),
    },
  )
  const switchboard = new OpenSwitchboard(options, endpoint, publicHost, dialogs)
  try {
    await switchboard.start()
  } catch (error) {
    await switchboard.close()
    throw error
  }
  return switchboard
}

class OpenSwitchboard implements Switchboard {
  readonly #options: SwitchboardOptions
  readonly #endpoint: SipEndpoint
  readonly #publicHost: string
  readonly #dialogs: Map<string, Leg>
  readonly #bridges = new Map<string, Bridge | Announcement>()
  readonly #runs = new Set<Promise<void>>()
  readonly #unreachable = new Set<string>()
  readonly #timers: Timer[] = []
  #lookedAt = performance.now()
  #nextDialAt = 0
  #isClosing = false
  readonly close = runOnlyOnce(() => this.#close())

  constructor(options: SwitchboardOptions, endpoint: SipEndpoint, publicHost: string, dialogs: Map<string, Leg>) {
    this.#options = options
    this.#endpoint = endpoint
    this.#publicHost = publicHost
    this.#dialogs = dialogs
  }

  async start(): Promise<void> {
    const { records, trunks, capacity, callsPerSecond, lookMs = 500, checkMs = 15_000 } = this.#options
    await records.register({ address: this.#endpoint.sentBy, capacity, callsPerSecond })
    const failed = (error: Error) => this.#failed(error)
    const checked = checkMs === 0 ? [] : trunks
    this.#timers.push(
      runEvery(lookMs, () => this.#look(), failed),
      ...checked.map((trunk) => runEvery(checkMs, () => this.#check(trunk), failed)),
    )
    for (const trunk of checked) void this.#check(trunk).catch(failed)
    await this.#look()
  }

  active(): number {
    return this.#bridges.size
  }

  async dial(callId: string, signal: AbortSignal): Promise<void> {
    const { records, trunks, capacity } = this.#options
    if (this.#isClosing) throw new Later(1_000)
    if (this.#bridges.size >= capacity) throw new Later(1_000, 'this worker has reached its maximum number of calls')
    await this.#waitToDial(signal)
    const reachable = ({ name }: Trunk) => !this.#unreachable.has(name)
    const plan = await records.begin(callId, (number) => selectTrunk(trunks, number, reachable))
    if (plan) this.#connect(callId, plan)
  }

  /** Waits until the next call can start within the limit of calls per second. */
  async #waitToDial(signal: AbortSignal): Promise<void> {
    const dialAt = Math.max(this.#nextDialAt, performance.now())
    this.#nextDialAt = dialAt + 1000 / this.#options.callsPerSecond
    await pause(Math.max(0, dialAt - performance.now()), undefined, { signal })
  }

  #connect(callId: string, { call, a, b }: CallPlan<Trunk>): void {
    const legs = { a: this.#legTo(a, call), ...(b && { b: this.#legTo(b, call) }) }
    const bridge = this.#hold(call, a, legs, b)
    if (!bridge) return
    this.#bridges.set(callId, bridge)
    for (const leg of Object.values(legs)) this.#enter(leg)
    const run = bridge.run().finally(() => {
      this.#bridges.delete(callId)
      for (const leg of Object.values(legs)) this.#leave(leg)
    })
    this.#keep(run)
  }

  #legTo({ number, trunk }: CallPlan<Trunk>['a'], { caller_id }: Call): Leg {
    const { session = { expires: 1_800, least: minSeconds } } = this.#options
    return Leg.to(number, caller_id, this.#endpoint, trunk, session)
  }

  #hold(
    call: Call,
    a: CallPlan<Trunk>['a'],
    legs: { a: Leg; b?: Leg },
    b: CallPlan<Trunk>['b'],
  ): Bridge | Announcement | undefined {
    const common = { records: this.#options.records, call, address: this.#publicHost }
    const { speech } = call
    if (speech) return new Announcement({ ...common, speech, leg: legs.a, number: a.number, trunk: a.trunk.name })
    if (!b || !legs.b) return undefined
    return new Bridge({ ...common, legs: { a: legs.a, b: legs.b }, trunks: { a: a.trunk.name, b: b.trunk.name } })
  }

  async #look(): Promise<void> {
    const { records } = this.#options
    for (const { id: callId, taken } of await records.news([...this.#bridges.keys()])) {
      if (taken) this.#bridges.get(callId)?.abandon()
      else this.#bridges.get(callId)?.stop('hung_up', 'api')
    }
    this.#lookedAt = performance.now()
    for (const orphan of await records.adopt()) this.#keep(this.#endOrphan(orphan))
  }

  async #endOrphan(orphan: OrphanedCall): Promise<void> {
    const { records, trunks } = this.#options
    log.warn({ call_id: orphan.call.id }, 'the worker of this call is dead; ending its dialogs')
    await Promise.all(
      orphan.legs.map(async ({ dialog, trunk: name, ended_at }) => {
        const trunk = trunks.find((one) => one.name === name) ?? trunks[0]
        if (!dialog || ended_at || !trunk) return
        const leg = new Leg(this.#endpoint, trunk, dialog)
        this.#enter(leg)
        await leg.endOrphan()
        this.#leave(leg)
      }),
    )
    await records.endOrphan(orphan)
  }

  #keep(work: Promise<void>): void {
    const run = work
      .catch((error) => log.error({ err: describe(error) }, 'a call could not be completed'))
      .finally(() => this.#runs.delete(run))
    this.#runs.add(run)
  }

  #enter(leg: Leg): void {
    this.#dialogs.set(leg.dialog.call_id, leg)
  }

  #leave(leg: Leg): void {
    setTimeout(() => this.#dialogs.delete(leg.dialog.call_id), transactionMs).unref()
  }

  async #check(trunk: Trunk): Promise<void> {
    const begun = performance.now()
    const { status } = await this.#endpoint.ask(createOptionsRequest(this.#endpoint, trunk), trunk.uri)
    const rttMs = performance.now() - begun
    if (this.#isClosing) return
    if (isReachable(status)) this.#unreachable.delete(trunk.name)
    else this.#unreachable.add(trunk.name)
    await this.#options.records.noteTrunk(trunk.name, status, rttMs)
  }

  #failed(error: Error): void {
    log.debug({ err: describe(error) }, 'a check of a switchboard failed')
    // A worker that cannot write the row of a call must give up the call, because another worker can have it.
    if (performance.now() - this.#lookedAt <= this.#options.leaseMs) return
    for (const bridge of this.#bridges.values()) bridge.abandon()
  }

  async #close(): Promise<void> {
    this.#isClosing = true
    for (const bridge of this.#bridges.values()) bridge.stop('shutdown', 'platform')
    await Promise.race([Promise.all(this.#runs), pause(transactionMs, undefined, { ref: false })])
    const stopped = this.#timers.map((timer) => timer.stop())
    this.#endpoint.close()
    await Promise.all(stopped)
  }
}
