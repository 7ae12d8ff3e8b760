import { setTimeout as pause } from 'node:timers/promises'
import { measureProcess } from '../../soak/processes.ts'
import { median } from '../benchmark.ts'
import { measureTreeMemory } from '../cpu.ts'

const everyMs = 2_000

/** Memory in MiB (PSS) by process, in the order of the samples. */
export type MemorySamples = Record<string, number[]>

/** Samples the processes and Postgres until `signal` is aborted. A restarted process continues under its name. */
export async function sampleMemory(pids: () => Record<string, number>, signal: AbortSignal): Promise<MemorySamples> {
  const samples: MemorySamples = {}
  while (!signal.aborted) {
    for (const [name, pid] of Object.entries(pids())) {
      const measured = await measureProcess(pid)
      if (measured) add(samples, name, measured.pss / 2 ** 20)
    }
    add(samples, 'postgres', (await measureTreeMemory(process.pid)).postgres ?? 0)
    await pause(everyMs, undefined, { signal }).catch(() => {})
  }
  return samples
}

function add(samples: MemorySamples, name: string, mib: number): void {
  samples[name] ??= []
  samples[name].push(mib)
}

/** Medians of the second and the last quarter. */
export function compareQuarters(samples: readonly number[]): [early: number, late: number] {
  const quarter = (from: number) => samples.slice((samples.length * from) / 4, (samples.length * (from + 1)) / 4)
  return [median(quarter(1)), median(quarter(3))]
}
