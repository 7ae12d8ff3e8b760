/** Strangers from one network (an IPv4 address, an IPv6 /64), and all together. */
const [mostOfNetwork, mostOfAll] = [20, 500]

/** Somebody who is connected and has not said who they are. */
interface PendingConnection {
  /** Ends their connection. */
  turnAway(): void
}

/**
 * Those who are connected and have not joined. Who comes is always taken in, since they may be about to join: when there are too many,
 * the one goes who has waited longest, of the network of the newcomer or of the one that has most.
 */
export class PendingConnections {
  readonly #byNetwork = new Map<string, Set<PendingConnection>>()
  #count = 0

  /** Takes one in; call what is returned when they have joined or are gone, as often as you like. */
  admit(network: string, stranger: PendingConnection): () => void {
    const beside = this.#byNetwork.get(network) ?? new Set()
    if (beside.size >= mostOfNetwork) this.#turnAway(network)
    else if (this.#count >= mostOfAll) this.#turnAway(this.#largest())
    this.#byNetwork.set(network, beside.add(stranger))
    this.#count += 1
    return () => this.#forget(network, stranger)
  }

  #turnAway(network: string): void {
    const [longest] = this.#byNetwork.get(network) ?? []
    if (!longest) return
    this.#forget(network, longest)
    longest.turnAway()
  }

  #forget(network: string, stranger: PendingConnection): void {
    const beside = this.#byNetwork.get(network)
    if (!beside?.delete(stranger)) return
    this.#count -= 1
    if (beside.size === 0) this.#byNetwork.delete(network)
  }

  #largest(): string {
    const [first] = [...this.#byNetwork].toSorted(([, a], [, b]) => b.size - a.size)
    return first?.[0] ?? ''
  }
}
