import { isIPv6 } from 'node:net'
import { log } from '#lib/log.ts'
import { getNetwork } from '#lib/network/network.ts'
import { limitToOncePerMinute } from '#lib/once-a-minute.ts'
import { counter } from '#lib/telemetry/metrics.ts'

/**
 * Maximum number of concurrent handshakes per IPv4 address or IPv6 /64. One address, spoofed or not, must not use all
 * capacity.
 */
const mostOfAddress = 8

const refused = counter(
  'millrace_live_srt_refused_total',
  'First datagrams of SRT callers that were ignored, because the worker or the address had too many handshakes in progress.',
  ['most_of'],
)
for (const most_of of ['worker', 'address']) refused.inc({ most_of }, 0)

/**
 * SRT handshakes in progress, from the first datagram of a caller until the caller publishes or leaves. Each handshake
 * needs a process.
 */
export class Handshakes {
  readonly #most: number
  readonly #addresses = new Map<object, string>()
  readonly #tell = limitToOncePerMinute(({ address, mostOf }: { address: string; mostOf: string }, times) =>
    log.warn({ address, most_of: mostOf, times }, 'SRT callers are ignored: too many handshakes in progress'),
  )

  constructor(most: number) {
    this.#most = most
  }

  /**
   * Returns true if a caller may start a handshake at a port. The handshake counts until `over` is called for the port.
   */
  begin(port: object, caller: string): boolean {
    const address = isIPv6(caller) ? getNetwork(caller, 64) : caller
    const beside = [...this.#addresses.values()].filter((one) => one === address).length
    const mostOf = this.#addresses.size >= this.#most ? 'worker' : beside >= mostOfAddress ? 'address' : undefined
    if (mostOf) {
      refused.inc({ most_of: mostOf })
      this.#tell({ address, mostOf })
      return false
    }
    this.#addresses.set(port, address)
    return true
  }

  over(port: object): void {
    this.#addresses.delete(port)
  }
}
