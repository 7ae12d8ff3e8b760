import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall } from '#tasks/video/engine.ts'

/** A folder for half-written files. */
export interface Workspace {
  folder: string
  /** Moves finished files of the workspace to where they belong. */
  publish(files: string[]): Promise<void>
}

/** Lets work be written aside in `folder` and published whole: whatever is not published is gone when this returns or throws. */
export async function inWorkspace<T>(folder: string, work: (workspace: Workspace) => Promise<T>): Promise<T> {
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

/** Reports a call's progress: a fraction that never falls and never leaves 0 to 1, of `total` frames or seconds. */
export function progressOf({ onProgress }: EngineCall, total: number): (done: number) => void {
  let reported = 0
  return (done) => {
    reported = Math.max(reported, Math.min(1, total > 0 ? done / total : 0))
    onProgress?.(reported)
  }
}

/** A clock that tells the seconds since it was started. */
export function stopwatch(): () => number {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}
