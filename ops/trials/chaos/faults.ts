import type { Fault } from './fault.ts'
import { clockJumped } from './faults/clock-jumped.ts'
import { connectionsExhausted } from './faults/connections-exhausted.ts'
import { diskFull } from './faults/disk-full.ts'
import { ingressKilled } from './faults/ingress-killed.ts'
import { postgresAway } from './faults/postgres-away.ts'
import { postgresRestarted } from './faults/postgres-restarted.ts'
import { queueLocked } from './faults/queue-locked.ts'
import { storageAway } from './faults/storage-away.ts'
import { workerFrozen } from './faults/worker-frozen.ts'
import { workerKilled } from './faults/worker-killed.ts'
import { writesRefused } from './faults/writes-refused.ts'

export const faults: readonly Fault[] = [
  workerKilled,
  ingressKilled,
  workerFrozen,
  postgresRestarted,
  postgresAway,
  storageAway,
  clockJumped,
  connectionsExhausted,
  diskFull,
  writesRefused,
  queueLocked,
]
