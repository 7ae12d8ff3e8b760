/** Maximum numbers of pending connections: per network (an IPv4 address or an IPv6 /64), and in total. */
const [mostOfNetwork, mostOfAll] = [20, 500]

interface PendingConnection {
  turnAway(): void
}

/**
 * Connections that have not joined yet. A new connection is always accepted, because it may be about to join. If there
 * are too many, the oldest connection is closed. It is taken from the network of the new connection or from the network
 * with the most connections.
 */
export class PendingConnections {
  readonly #byNetwork = new Map<string, Set<PendingConnection>>()
  #count = 0

  /**
   * Adds a connection. Call the returned function when the connection has joined or ended. The function can be called
   * repeatedly.
   */
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
