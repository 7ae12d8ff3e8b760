import type { Db } from '#sql/db.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { Asset } from '#sql/video/assets.ts'
import { encodeAudio } from '#tasks/video/encode-audio.ts'
import { encodeChunk } from '#tasks/video/encode-chunk.ts'
import { packageLadder } from '#tasks/video/package-ladder.ts'
import { probe } from '#tasks/video/probe.ts'
import { remux } from '#tasks/video/remux.ts'

const last = [packageLadder]
const ladder = [encodeChunk, encodeAudio, ...last]
const fromRemux = [remux, ...ladder]
const all = [probe, ...fromRemux]

/** Names of the tasks that must run before an asset is ready, by its current stage. */
const ahead: Partial<Record<Asset['stage'], readonly { pool: string; name: string }[]>> = {
  queued: all,
  probing: all,
  remuxing: fromRemux,
  packaging_source: ladder,
  encoding: ladder,
  packaging: last,
}

/**
 * Returns whether paused pools delay an asset. `paused` means that a remaining step cannot start. `idle` means that
 * also no other step of the asset is running.
 */
export async function findPause(db: Db, { id, stage }: Asset): Promise<{ paused: boolean; idle: boolean }> {
  const pauses = await controls.pauses(db)
  const paused = pauses.some(({ pool, task }) =>
    ahead[stage]?.some((step) => step.pool === pool && (task === '' || task === step.name)),
  )
  return { paused, idle: paused && !(await runs.isRunning(db, id)) }
}
