import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { listProcessing } from '#sql/video/pipeline.ts'
import { announce } from '#sql/video/speech-engines.ts'
import type { Tools } from '#tasks/pools.ts'
import type { PoolDeclaration, ProcessResources } from '../runtime/pool-declaration.ts'
import { findSandboxFault, missingPrograms } from '../sandbox/programs.ts'
import { createMediaEngine } from './engine.ts'
import { openScratch } from './scratch.ts'
import { configuredSpeech } from './speech/index.ts'

const common = { concurrency: config.MEDIA_CONCURRENCY, engines: ['ffmpeg', 'ffprobe'], lacks: findMissingMediaTools }

export const mediaIntake: PoolDeclaration<'media-intake'> = {
  ...common,
  // Users wait for these jobs, so one organisation must not block another. Uploads have the pool's limits.
  share: { perOrganisation: 1 / 2, tasks: ['files/preview', 'video/frame', 'video/check-watermark'] },
  tools: intakeTools,
}

export const media: PoolDeclaration<'media'> = {
  ...common,
  // Clients wait for transcriptions. Other jobs work on files in Millrace’s own storage, chunk by chunk.
  share: { perOrganisation: 1 / 2, tasks: ['ai/transcribe-audio'] },
  tools: async (process) => {
    const speech = configuredSpeech(config.MEDIA_NICE)
    await announce(process.db, process.workerId, { engine: speech.name, ...(await speech.abilities()) })
    return { ...(await mediaTools(process, config.MEDIA_NICE)), speech }
  },
}

export async function intakeTools(process: ProcessResources): Promise<Tools['media-intake']> {
  return await mediaTools(process, 0)
}

export async function findMissingMediaTools(): Promise<string | undefined> {
  const { FFMPEG_PATH, FFPROBE_PATH } = config
  const sandbox = await findSandboxFault()
  if (sandbox) return sandbox
  const missing = await missingPrograms({ FFMPEG_PATH, FFPROBE_PATH })
  return missing.length > 0 ? `${missing.join(' and ')} not found: install it, then restart the worker` : undefined
}

async function mediaTools({ db, storage, ends }: ProcessResources, nice: number): Promise<Tools['media-intake']> {
  const { FFMPEG_PATH: ffmpegPath, FFPROBE_PATH: ffprobePath, MEDIA_CONCURRENCY: slots, MILLRACE_DATA } = config
  const scratch = await openScratch(join(MILLRACE_DATA, 'scratch'), storage, (ids) => listProcessing(db, ids))
  ends.defer(() => scratch.close())
  return { media: createMediaEngine({ ffmpegPath, ffprobePath, nice, slots }), scratch, storage }
}
