import { availableParallelism } from 'node:os'
import { tracing } from '#lib/telemetry/tracing.ts'
import { atWork } from '../runtime/gauges.ts'
import { mustIsolate } from './isolation.ts'
import { type Exit, type GroupCommand, runGroup } from './process-group.ts'
import { usualPath } from './programs.ts'

/** What every run of a sandbox is held to; everything has a default. */
export interface SandboxOptions {
  /** Where programs are looked for, like `PATH`. */
  searchPath?: string
  /** 0 to 19; 10 by default, so that live streams go first. */
  nice?: number
  /** Memory that one run may write to, in bytes, whatever it asks for; 2 GiB by default. */
  memoryBytes?: number
  /** Largest file that a run may write, in bytes; 256 GiB by default. */
  fileBytes?: number
  /** Milliseconds from SIGTERM to SIGKILL; 2000 by default. */
  grace?: number
}

/** One run of a program. */
export interface SandboxRun extends Pick<GroupCommand, 'command' | 'signal' | 'timeout' | 'called' | 'onLine'> {
  /** What gauges and traces call the program. */
  name: string
  /** Memory that it may write to, in bytes, if it is not what any run may. */
  memoryBytes?: number | undefined
}

/** Runs programs so that nothing they read can harm the host. */
export interface Sandbox {
  /** Runs a program to its end, without network and held to its limits; throws as `mustIsolate` and `runGroup` do. */
  run(run: SandboxRun): Promise<Exit>
}

/** In bytes; the media tools, which take most, hold 1.2 GiB and set some more apart that they never use. */
const mostMemory = 2 * 2 ** 30

export function createSandbox(options: SandboxOptions): Sandbox {
  const path = options.searchPath ?? usualPath
  const cores = availableParallelism()

  return {
    async run({ name, memoryBytes = mostMemory, command, ...run }) {
      const isolate = await mustIsolate(path)
      const limits = {
        memoryBytes: Math.min(options.memoryBytes ?? Number.POSITIVE_INFINITY, memoryBytes),
        fileBytes: options.fileBytes ?? 256 * 2 ** 30,
        cpuSeconds: (run.timeout / 1000) * cores + 5,
        nice: options.nice ?? 10,
      }
      const grace = options.grace ?? 2_000
      const work = () => runGroup({ ...run, command: [...isolate(limits), ...command], path, grace, nice: limits.nice })
      return await atWork(name, () => tracing()?.span({ name, kind: 'internal' }, work) ?? work())
    },
  }
}
