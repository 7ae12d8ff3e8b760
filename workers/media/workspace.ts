import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall } from '#tasks/video/engine.ts'

export interface Workspace {
  folder: string
  publish(files: string[]): Promise<void>
}

/**
 * Runs `work` in a separate folder and publishes finished files. Deletes all other files when `work` returns or throws.
 */
export async function withWorkspace<T>(folder: string, work: (workspace: Workspace) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true })
  const aside = await mkdtemp(join(folder, '.part-'))
  const publish = async (files: string[]) => {
    for (const file of files) await rename(join(aside, file), join(folder, file))
  }
  try {
    return await work({ folder: aside, publish })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/**
 * Returns a function that reports a call's progress of `total` frames or seconds, as a fraction from 0 to 1 that never
 * decreases.
 */
export function progressOf({ onProgress }: EngineCall, total: number): (done: number) => void {
  let reported = 0
  return (done) => {
    reported = Math.max(reported, Math.min(1, total > 0 ? done / total : 0))
    onProgress?.(reported)
  }
}

export function stopwatch(): () => number {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}
