import { Client } from 'pg'

const connect = Client.prototype.connect as (this: Client, ...args: unknown[]) => unknown

/**
 * If a pg client loses its server between two queries, it emits `error`, which ends the process without a listener.
 * Slonik has such a client while it opens a pool, to look up types. The next query reports the loss, so each client
 * only needs a listener.
 */
Client.prototype.connect = function (this: Client, ...args: unknown[]): never {
  this.on('error', () => {})
  return connect.apply(this, args) as never
}
