import type { SipEndpoint } from './endpoint.ts'
import { createCancel } from './requests.ts'
import type { Request, Response } from './sip/library.ts'

interface InvitationListener {
  heard(): void
  ringing(): void
  /** Called for a final response. The first of several 2xx resolves. */
  final(response: Response, resolve: (response: Response) => void): void
}

export class Invitation {
  readonly #endpoint: SipEndpoint
  readonly #request: Request
  readonly #hop: string
  readonly #listener: InvitationListener
  #provisional = false
  #cancelled = false
  #over = false
  /** The package itself removes an INVITE only after a final response. */
  #forget: () => void = () => {}

  constructor(endpoint: SipEndpoint, request: Request, hop: string, listener: InvitationListener) {
    this.#endpoint = endpoint
    this.#request = request
    this.#hop = hop
    this.#listener = listener
  }

  async send(): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>()
    this.#forget = await this.#endpoint.request(this.#request, this.#hop, (response) => {
      if (response.status < 200) {
        this.#provisional = true
        this.#listener.heard()
        if (response.status > 100 && !this.#cancelled) this.#listener.ringing()
      } else this.#listener.final(response, resolve)
    })
    const response = await promise
    this.#over = true
    return response
  }

  /** CANCEL is not sent before a provisional response, because it could overtake the INVITE (RFC 3261 9.1). */
  cancel(): void {
    if (!this.#provisional || this.#cancelled || this.#over) return
    this.#cancelled = true
    void this.#endpoint.ask(createCancel(this.#request), this.#hop)
  }

  forget(): void {
    this.#forget()
  }
}
