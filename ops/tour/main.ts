import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from '#lib/errors.ts'
import { say } from '../start/terminal.ts'
import type { Api } from '../video-client.ts'
import { fileSteps } from './files.ts'
import { geoSteps } from './geo.ts'
import { liveSteps } from './live.ts'
import { type MailApi, mailSteps } from './mail.ts'
import { notifySteps } from './notify.ts'
import { type PushApi, pushSteps } from './push.ts'
import { type Step, videoSteps } from './video.ts'

const folderIn = (data: string) => join(data, 'tour')

/** The areas that the tour shows, with a key for each; without a scanner, files are not, nor is mail that leaves. */
export interface TourApis {
  video: Api
  files: Api | undefined
  mail: MailApi | undefined
  push: PushApi
  /** With the key of the areas that share one. */
  platform: Api
}

/** Whether a data folder is to be shown the tour: a fresh one, and one whose tour has not come to its end. */
export async function tourIsDue(data: string, fresh: boolean): Promise<boolean> {
  if (fresh) await mkdir(folderIn(data), { recursive: true })
  return existsSync(folderIn(data))
}

/**
 * Shows a fresh installation at work: each step does something real as a client would, and says in a line what happened and
 * how long it took. A step that fails is said and ends the tour; its folder stands until it is done, and by that the next
 * start knows to begin it again.
 */
export async function runTour(data: string, apis: TourApis, signal: AbortSignal): Promise<void> {
  const folder = folderIn(data)
  say('tour', 'a first look; TOUR=false npm start goes without it')
  try {
    const files = apis.files ? fileSteps(apis.files) : [noScanner]
    const mail = apis.mail ? mailSteps(apis.mail, signal) : []
    const push = pushSteps(apis.push, signal)
    const platform = [...notifySteps(apis.platform), ...geoSteps(apis.platform)]
    const video = [...videoSteps(folder, apis.video, signal), ...liveSteps(folder, apis.video, signal)]
    for (const step of [...files, ...mail, ...push, ...platform, ...video]) await take(step)
    await rm(folder, { recursive: true, force: true })
    say('tour', 'done')
  } catch (error) {
    if (!signal.aborted) say('tour', `stopped: ${describe(error)}; the next start begins it again`)
  }
}

const noScanner: Step = {
  name: 'files',
  run: async () => 'NOTICE: there is no malware scanner here, so files wait unscanned and cannot be downloaded',
}

async function take({ name, run }: Step): Promise<void> {
  const begun = performance.now()
  const happened = await run()
  say('tour', `${name}: ${happened} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
}
