import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from '#lib/errors.ts'
import { say } from '../terminal.ts'
import type { Api } from '../video-client.ts'
import { type Step, videoSteps } from './video.ts'

/**
 * Shows a fresh installation at work: each step does something real as a client would, and says in a line what happened and
 * how long it took. A step that fails is said, ends its part of the tour, and changes nothing else.
 */
export async function runTour(data: string, api: Api, signal: AbortSignal): Promise<void> {
  const folder = join(data, 'tour')
  await mkdir(folder, { recursive: true })
  say('tour', 'a first look; TOUR=false npm start goes without it')
  try {
    for (const step of videoSteps(folder, api, signal)) await take(step)
    say('tour', 'done')
  } catch (error) {
    if (!signal.aborted) say('tour', `stopped: ${describe(error)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function take({ name, run }: Step): Promise<void> {
  const begun = performance.now()
  const happened = await run()
  say('tour', `${name}: ${happened} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
}
