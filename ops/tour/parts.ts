import { describe } from '#lib/errors.ts'
import type { Step } from './video.ts'

/** Steps of an area. Each step depends on the steps before it. */
export interface Part {
  name: string
  steps: readonly Step[]
}

/**
 * Runs the steps of each part and prints results and durations. A failed step ends only its part. Returns the names of
 * the failed parts, except parts that the signal ended.
 */
export async function runParts(
  parts: readonly Part[],
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const failed: string[] = []
  for (const { name, steps } of parts) {
    if (signal.aborted) break
    try {
      for (const step of steps) await take(step, tell)
    } catch (error) {
      if (signal.aborted) break
      failed.push(name)
      tell(`${name} FAILED: ${describe(error)}`)
    }
  }
  return failed
}

async function take({ name, run }: Step, tell: (text: string) => void): Promise<void> {
  const begun = performance.now()
  const happened = await run()
  tell(`${name}: ${happened} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
}
