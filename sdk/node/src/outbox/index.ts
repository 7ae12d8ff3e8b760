/** Sends rows that an application has written to its own database, in its own transaction. */
export type { OutboxClient, OutboxPool } from './database.ts'
export { type OutboxMetrics, renderMetrics } from './metrics.ts'
export type { RelayLog, RelayOptions } from './options.ts'
export { type Relay, startRelay } from './relay.ts'
export { type Grants, installSql, uninstallSql } from './sql/install.ts'
