import { Client } from 'pg'

const connect = Client.prototype.connect as (this: Client, ...args: unknown[]) => unknown

/**
 * A client of pg that loses its server between two queries emits `error`, which ends the process where nobody listens. Slonik
 * has such a client while it opens a pool, to look types up. What the loss means is told by the next query, so each client hears it.
 */
Client.prototype.connect = function (this: Client, ...args: unknown[]): never {
  this.on('error', () => {})
  return connect.apply(this, args) as never
}
