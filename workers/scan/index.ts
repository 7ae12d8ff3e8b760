import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { openScratch } from '../media/scratch.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { findSandboxFault } from '../sandbox/programs.ts'
import type { Address } from './clamd/connection.ts'
import { observeQueue } from './clamd/queue.ts'
import { startHeartbeat } from './heartbeat.ts'
import { createScanner } from './scanner.ts'

export const scan: PoolDeclaration<'scan'> = {
  concurrency: config.SCAN_CONCURRENCY,
  share: { none: 'Scans wait for clamd and Millrace’s own storage, and each scan has a time limit.' },
  engines: ['clamd'],
  async lacks() {
    const clamd = clamdAddress()
      ? undefined
      : 'clamd not found: install clamav-daemon, or set CLAMD_SOCKET or CLAMD_HOST'
    return (await findSandboxFault()) ?? clamd
  },
  async tools({ db, storage, ends }) {
    const address = clamdAddress()
    if (!address) throw new Error('No clamd is configured for scans.')
    const scanner = createScanner(address, config.SCAN_MAX_BYTES, config.SCAN_LARGE_FILES === 'accept')
    ends.defer(startHeartbeat(db, scanner))
    ends.defer(observeQueue(address))
    // Uses a separate folder, because the files belong to no asset.
    const scratch = await openScratch(join(config.MILLRACE_DATA, 'scan-scratch'), storage, async () => [])
    ends.defer(() => scratch.close())
    return { scanner, scratch, storage }
  },
}

function clamdAddress(): Address | undefined {
  const { CLAMD_SOCKET: socket, CLAMD_HOST: host, CLAMD_PORT: port } = config
  if (host) return { host, port }
  return socket ? { socket } : undefined
}
