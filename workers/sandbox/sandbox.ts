import { availableParallelism } from 'node:os'
import { tracing } from '#lib/telemetry/tracing.ts'
import { countActive } from '../runtime/gauges.ts'
import { requireIsolation } from './isolation.ts'
import { type Exit, type GroupCommand, runGroup } from './process-group.ts'
import { usualPath } from './programs.ts'

export interface SandboxOptions {
  /** Nice value from 0 to 19. Default: 10, so that live streams have priority. */
  searchPath?: string
  nice?: number
  /** Maximum writable memory of a run, in bytes. Default: 2 GiB. */
  memoryBytes?: number
  /** Maximum file size of a run, in bytes. Default: 256 GiB. */
  fileBytes?: number
  /** Delay in milliseconds between SIGTERM and SIGKILL. Default: 2000. */
  grace?: number
}

export interface SandboxRun extends Pick<GroupCommand, 'command' | 'signal' | 'timeout' | 'called' | 'onLine'> {
  name: string
  /** Writable memory in bytes, if it differs from the maximum. */
  memoryBytes?: number | undefined
}

export interface Sandbox {
  /**
   * Runs a program without network and within its limits. Throws the same errors as `requireIsolation` and `runGroup`.
   */
  run(run: SandboxRun): Promise<Exit>
}

/** Maximum memory in bytes. Media tools need 1.2 GiB and reserve more memory that they never use. */
const mostMemory = 2 * 2 ** 30

export function createSandbox(options: SandboxOptions): Sandbox {
  const path = options.searchPath ?? usualPath
  const cores = availableParallelism()

  return {
    async run({ name, memoryBytes = mostMemory, command, ...run }) {
      const isolate = await requireIsolation(path)
      const limits = {
        memoryBytes: Math.min(options.memoryBytes ?? Number.POSITIVE_INFINITY, memoryBytes),
        fileBytes: options.fileBytes ?? 256 * 2 ** 30,
        cpuSeconds: (run.timeout / 1000) * cores + 5,
        nice: options.nice ?? 10,
      }
      const grace = options.grace ?? 2_000
      const work = () => runGroup({ ...run, command: [...isolate(limits), ...command], path, grace, nice: limits.nice })
      return await countActive(name, () => tracing()?.span({ name, kind: 'internal' }, work) ?? work())
    },
  }
}
