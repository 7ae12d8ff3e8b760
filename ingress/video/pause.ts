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

/** What is still to be done before an asset is ready, by the stage it is in. */
const ahead: Partial<Record<Asset['stage'], readonly { pool: string; name: string }[]>> = {
  queued: all,
  probing: all,
  remuxing: fromRemux,
  packaging_source: ladder,
  encoding: ladder,
  packaging: last,
}

/**
 * Whether an operator's pause keeps an asset from becoming ready: `paused` when some of what is ahead of it begins no job, `idle`
 * when nothing of it runs meanwhile either.
 */
export async function pauseOf(db: Db, { id, stage }: Asset): Promise<{ paused: boolean; idle: boolean }> {
  const pauses = await controls.pauses(db)
  const paused = pauses.some(({ pool, task }) =>
    ahead[stage]?.some((step) => step.pool === pool && (task === '' || task === step.name)),
  )
  return { paused, idle: paused && !(await runs.isWorkedOn(db, id)) }
}
