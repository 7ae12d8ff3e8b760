import type { Request, Response } from 'sip'
import type { SipEndpoint } from './endpoint.ts'
import { cancelOf } from './requests.ts'

/** What becomes of an INVITE. */
interface InvitationListener {
  /** A provisional response came. */
  heard(): void
  ringing(): void
  /** A final response; of several 2xx the first resolves. */
  final(response: Response, resolve: (response: Response) => void): void
}

/** One INVITE under way, to be cancelled. */
export class Invitation {
  readonly #endpoint: SipEndpoint
  readonly #request: Request
  readonly #hop: string
  readonly #listener: InvitationListener
  #provisional = false
  #cancelled = false
  #over = false
  /** The package forgets an INVITE by itself only once a final response is there. */
  #forget: () => void = () => {}

  constructor(endpoint: SipEndpoint, request: Request, hop: string, listener: InvitationListener) {
    this.#endpoint = endpoint
    this.#request = request
    this.#hop = hop
    this.#listener = listener
  }

  /** Sends it; resolves with the final response. */
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

  /** Not before a provisional response, as the CANCEL might overtake the INVITE (RFC 3261 9.1). */
  cancel(): void {
    if (!this.#provisional || this.#cancelled || this.#over) return
    this.#cancelled = true
    void this.#endpoint.ask(cancelOf(this.#request), this.#hop)
  }

  forget(): void {
    this.#forget()
  }
}
