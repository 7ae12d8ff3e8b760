import { Client } from 'pg'

const connect = Client.prototype.connect as (this: Client, ...args: unknown[]) => unknown

/**
 * If a pg client loses its server between queries, it emits `error`. Without a listener, `error` ends the process.
 * Slonik uses such a client to look up types while it opens a pool. The next query reports the loss, so each client
 * only needs a listener.
 */
Client.prototype.connect = function (this: Client, ...args: unknown[]): never {
  this.on('error', () => {})
  return connect.apply(this, args) as never
}
