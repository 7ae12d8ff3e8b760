import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import sip, { type Request, type Response } from 'sip'
import type { Dialog } from '#sql/voice/legs.ts'
import { confirmDialog, getNextHop, newDialog, retarget } from './dialogs.ts'
import { type SipEndpoint, transactionMs } from './endpoint.ts'
import { Invitation } from './invitation.ts'
import type { InviteListener, LegListener } from './leg-events.ts'
import { isOver, type LegState, toState } from './leg-state.ts'
import type { Peer } from './peer.ts'
import { createCancel, createRequest } from './requests.ts'
import { Description } from './sdp.ts'
import { type SessionSettings, SessionTimer } from './session-timer.ts'
import { sign, type Trunk } from './trunk.ts'
import { repeatUntilAcked } from './until-acked.ts'

/** One telephone of a call: a SIP dialog with a trunk, from the INVITE to the BYE (RFC 3261 12 to 15). */
export class Leg {
  readonly dialog: Dialog
  listener: LegListener<Leg> | undefined
  /** True if the trunk sent any response. A trunk that sent none is unreachable. */
  heard = false
  readonly #endpoint: SipEndpoint
  readonly #trunk: Trunk
  readonly #description = new Description()
  readonly #timer: SessionTimer | undefined
  readonly #agreed = new WeakMap<Request, Record<string, string>>()
  #state: LegState
  #knowsUpdate = false
  #inviteSeq = 0
  /** Last ACK. Sent again for each repeated 2xx. */
  #ack: Request | undefined
  #acked: ((ack: Request) => void) | undefined
  #remoteSeq = -1

  constructor(endpoint: SipEndpoint, trunk: Trunk, dialog: Dialog, session?: SessionSettings) {
    this.#endpoint = endpoint
    this.#trunk = trunk
    this.dialog = dialog
    this.#state = { name: dialog.remote_tag === null ? 'new' : 'established' }
    this.#timer =
      session &&
      new SessionTimer(session, {
        refresh: () => void this.#refresh().catch(() => {}),
        expired: () => this.listener?.hungUp(this, 'session_expired'),
      })
  }

  static to(number: string, from: string, endpoint: SipEndpoint, trunk: Trunk, session: SessionSettings): Leg {
    return new Leg(endpoint, trunk, newDialog(number, from, endpoint, trunk), session)
  }

  sdp(content: string): string {
    return this.#description.next(content, this.#endpoint.sentBy.split(':')[0] ?? '')
  }

  /** Calls the number and returns the final response, or a 487 if `end` was called. */
  async invite(content: string, inviting: InviteListener): Promise<Response> {
    let challenge: Response | undefined
    for (;;) {
      const request = this.#request('INVITE', content)
      if (challenge && !sign(request, challenge, this.#trunk)) return challenge
      await inviting.stored(this.dialog)
      if (isOver(this.#state)) return sip.makeResponse(request, 487, 'Request Terminated')
      const response = await this.#send(request, () => inviting.ringing())
      if (isOver(this.#state)) return response
      if (this.#timer?.raised(response)) continue
      if (challenge || (response.status !== 401 && response.status !== 407)) return response
      challenge = response
    }
  }

  #send(request: Request, ringing: () => void): Promise<Response> {
    const invitation = new Invitation(this.#endpoint, request, this.#hop, {
      heard: () => {
        this.heard = true
        if (isOver(this.#state)) invitation.cancel()
      },
      ringing,
      final: (response, resolve) => this.#final(response, resolve),
    })
    const response = invitation.send()
    this.#enter({ name: 'inviting', invitation, response })
    return response
  }

  #enter(next: LegState): void {
    this.#state = toState(this.#state, next)
  }

  #final(response: Response, resolve: (response: Response) => void): void {
    if (response.status >= 300) resolve(response)
    else if (this.dialog.remote_tag !== null) this.#again(response)
    else {
      this.#confirm(response)
      this.#timer?.answered(response)
      resolve(response)
    }
  }

  #confirm({ headers }: Response): void {
    this.#enter({ name: 'established' })
    confirmDialog(this.dialog, headers)
    this.#inviteSeq = headers.cseq.seq
    const methods = String(headers.allow ?? '').toUpperCase()
    this.#knowsUpdate = methods.includes('UPDATE')
  }

  /** A repeated 2xx means that its ACK was lost. If another telephone (a fork) sends a 2xx, its call is ended. */
  #again(response: Response): void {
    if (response.headers.to.params.tag === this.dialog.remote_tag) {
      if (this.#ack) void this.#endpoint.ack(this.#ack, this.#hop)
      return
    }
    const fork = new Leg(this.#endpoint, this.#trunk, structuredClone(this.dialog))
    fork.#confirm(response)
    fork.ack()
    void fork.end()
  }

  /** Acknowledges the 2xx to the last INVITE. Adds a description if the INVITE had none. */
  ack(content = ''): void {
    this.#ack = this.#request('ACK', content, this.#inviteSeq)
    void this.#endpoint.ack(this.#ack, this.#hop)
  }

  /**
   * Changes the session. A 2xx must be acknowledged with `ack`. Retries if the remote side changes the session at the
   * same time.
   */
  reinvite(content: string): Promise<Response> {
    return this.#offered(() => this.#reinvite(content))
  }

  async #offered<T>(work: () => Promise<T>): Promise<T> {
    this.#enter({ name: 'offering' })
    try {
      return await work()
    } finally {
      this.#enter({ name: 'established' })
    }
  }

  async #reinvite(content: string, gone?: string): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const response = await this.#within('INVITE', content, gone)
      if (response.status < 300) {
        this.#inviteSeq = response.headers.cseq.seq
        this.#ack = undefined
        retarget(this.dialog, response.headers)
      }
      if (response.status !== 491 || tries === 4 || isOver(this.#state)) return response
      // The owner of the Call-ID waits longer (RFC 3261 14.1).
      await pause(randomInt(210, 400) * 10)
    }
  }

  /** Refreshes the session (RFC 4028 10) with an UPDATE without an offer, or with the current description. */
  async #refresh(): Promise<void> {
    if (this.#state.name !== 'established') return
    const gone = 'session_expired'
    if (this.#knowsUpdate) await this.#within('UPDATE', '', gone)
    else if ((await this.#offered(() => this.#reinvite(this.#description.last, gone))).status < 300) this.ack()
  }

  /** Sends a request in the dialog, with credentials if required. `gone` is the reason if the dialog has ended. */
  async #within(method: string, content: string, gone?: string): Promise<Response> {
    const again = (response: Response) => this.#again(response)
    let last = await this.#endpoint.ask(this.#request(method, content), this.#hop, again)
    if (last.status === 401 || last.status === 407) {
      const signed = this.#request(method, content)
      if (sign(signed, last, this.#trunk)) last = await this.#endpoint.ask(signed, this.#hop, again)
    }
    if (this.#timer?.raised(last)) return await this.#within(method, content, gone)
    if (last.status < 300 && method !== 'BYE') this.#timer?.answered(last)
    // 481 and 408 mean that the dialog no longer exists (RFC 3261 12.2.1.2).
    if (method !== 'BYE' && (last.status === 481 || last.status === 408)) this.listener?.hungUp(this, gone)
    return last
  }

  /** Ends the leg in any state. Resolves when the remote side has confirmed it or cannot be reached. */
  async end(): Promise<void> {
    this.#timer?.stop()
    const state = this.#state
    if (state.name === 'ended') return
    if (state.name === 'ending') return await state.ended
    const ended = Promise.withResolvers<void>()
    this.#enter({ name: 'ending', ended: ended.promise })
    this.#hangUp(state).then(ended.resolve, ended.reject)
    await ended.promise
    this.#enter({ name: 'ended' })
  }

  async #hangUp(state: LegState): Promise<void> {
    if (state.name === 'inviting') {
      state.invitation.cancel()
      const last = await Promise.race([state.response, pause(transactionMs, undefined, { ref: false })])
      if (!last) state.invitation.forget()
    }
    if (this.dialog.remote_tag === null) return
    if (!this.#ack && this.#inviteSeq) this.ack()
    await this.#within('BYE', '')
  }

  /**
   * Ends the leg of a dead worker. If no answer is known, sends a CANCEL first. Then continues as the responses
   * require.
   */
  async endOrphan(): Promise<void> {
    const { dialog } = this
    if (dialog.remote_tag === null) {
      const invite = this.#request('INVITE', '', dialog.cseq)
      invite.headers.via = [this.#endpoint.via(this.#trunk.transport, dialog.branch, dialog.sent_by)]
      await this.#endpoint.ask(createCancel(invite), this.#hop)
    } else {
      // Much higher than any number that the dead worker can have sent. Gaps are allowed (RFC 3261 12.2.1.1).
      dialog.cseq += 1_000
      await this.end()
    }
  }

  /** Handles a response to a request of the dead worker. The call was answered late, so it is ended. */
  stray(response: Response, from: Peer): void {
    const { cseq, to, via } = response.headers
    if (cseq.method !== 'INVITE' || response.status < 200) return
    if (response.status >= 300) {
      const request = this.#request('ACK', '', cseq.seq)
      Object.assign(request.headers, { to, via: via.slice(0, 1) })
      this.#endpoint.sendTo(request, from)
    } else if (this.dialog.remote_tag === null) {
      this.#confirm(response)
      this.dialog.cseq += 1_000
      this.ack()
      void this.#within('BYE', '')
    } else this.#again(response)
  }

  receive(request: Request): void {
    const { method, headers } = request
    if (method === 'ACK') {
      this.#acked?.(request)
      return
    }
    const isLate = method !== 'CANCEL' && headers.cseq.seq <= this.#remoteSeq
    if (method !== 'CANCEL' && !isLate) this.#remoteSeq = headers.cseq.seq
    if (isLate) this.respond(request, 500, 'Out of Order')
    else if (method === 'BYE') {
      this.respond(request, 200, 'OK')
      if (this.#state.name !== 'ending') this.#enter({ name: 'ended' })
      this.#timer?.stop()
      this.listener?.hungUp(this)
    } else if (method === 'INVITE' || method === 'UPDATE') this.#change(request)
    else if (method === 'OPTIONS' || method === 'CANCEL') this.respond(request, 200, 'OK')
    else this.respond(request, 405, 'Method Not Allowed')
  }

  /** Renegotiates the session timer unless it would be too short, and passes the change to the listener. */
  #change(request: Request): void {
    const session = this.#timer?.asked(request)
    if (session && 'tooShort' in session) {
      this.#endpoint.respond(request, 422, 'Session Interval Too Small', { headers: session.tooShort })
      return
    }
    if (session) this.#agreed.set(request, session.headers)
    retarget(this.dialog, request.headers)
    if (this.listener && !isOver(this.#state)) this.listener.changed(this, request)
    else this.respond(request, 481, 'Call/Transaction Does Not Exist')
  }

  respond(request: Request, status: number, reason: string, content = ''): void {
    const headers = {
      ...(status < 300 && request.method !== 'BYE' && { contact: this.#endpoint.contactOf(this.#trunk.transport) }),
      ...(status >= 200 && status < 300 && this.#agreed.get(request)),
      ...(content && { 'content-type': 'application/sdp' }),
    }
    this.#endpoint.respond(request, status, reason, { headers, content })
  }

  /** Accepts a re-INVITE. Resolves with its ACK, or with undefined if no ACK arrives. */
  async accept(request: Request, content: string): Promise<Request | undefined> {
    const respond = () => this.respond(request, 200, 'OK', content)
    const ack = await this.#offered(() =>
      repeatUntilAcked(respond, (acked) => {
        this.#acked = acked
      }),
    )
    this.#acked = undefined
    return ack
  }

  get #hop(): string {
    return getNextHop(this.dialog, this.#trunk)
  }

  #request(method: string, content: string, seq = ++this.dialog.cseq): Request {
    const more = method === 'INVITE' || method === 'UPDATE' ? this.#timer?.requestHeaders() : undefined
    const { transport } = this.#trunk
    return createRequest(this.#endpoint, this.dialog, { method, content, seq, transport, ...(more && { more }) })
  }
}
