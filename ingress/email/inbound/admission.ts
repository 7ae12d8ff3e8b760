import { Refusal } from './refusal.ts'

/** How much one client may do at once and in a minute. */
export interface Limits {
  connections: number
  /** Messages and refused recipients. */
  perMinute: number
}

/** A provider reports thousands of bounces of a campaign from few addresses, some at once. */
export const usual: Limits = { connections: 10, perMinute: 600 }

/** Counts what clients do, by their addresses; what is over is told to come later, so that nothing is lost. */
export function createAdmission({ connections, perMinute }: Limits = usual, now: () => number = Date.now) {
  const clients = new Map<string, { open: number; minute: number; done: number }>()

  function of(address: string) {
    const client = clients.get(address) ?? { open: 0, minute: 0, done: 0 }
    clients.set(address, client)
    const minute = Math.floor(now() / 60_000)
    if (client.minute !== minute) Object.assign(client, { minute, done: 0 })
    return client
  }

  return {
    /** Admits a connection; throws the refusal when the client has too many. */
    open(address: string): void {
      const client = of(address)
      if (client.open >= connections) throw new Refusal(421, 'Too many connections from your address, try again later')
      client.open++
    },
    /** Forgets a connection. */
    close(address: string): void {
      const client = of(address)
      client.open--
      if (client.open > 0 || client.done > 0) return
      clients.delete(address)
    },
    /** Counts a message, or a recipient that is none; throws the refusal when it is one too many of this minute. */
    count(address: string): void {
      const client = of(address)
      if (client.done >= perMinute) throw new Refusal(421, 'Too much mail from your address, try again later')
      client.done++
    },
    /** Forgets clients that are gone. */
    sweep(): void {
      for (const [address] of clients) if (of(address).open === 0 && of(address).done === 0) clients.delete(address)
    },
  }
}
