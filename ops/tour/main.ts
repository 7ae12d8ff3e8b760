import { rm } from 'node:fs/promises'
import { say } from '../start/terminal.ts'
import type { Api } from '../video-client.ts'
import { aiSteps } from './ai.ts'
import { botSteps } from './bots.ts'
import { directorySteps } from './directory.ts'
import { tourFolder } from './due.ts'
import { erpSteps } from './erp.ts'
import { fileSteps } from './files.ts'
import { geoSteps } from './geo.ts'
import { type GuardApi, guardSteps } from './guard.ts'
import { identitySteps } from './identity.ts'
import { liveSteps } from './live.ts'
import { type MailApi, mailSteps } from './mail.ts'
import { notifySteps } from './notify.ts'
import { type Part, runParts } from './parts.ts'
import { type PushApi, pushSteps } from './push.ts'
import { queueSteps } from './queue.ts'
import { roomSteps } from './rooms.ts'
import { trustSteps } from './trust.ts'
import { type Step, videoSteps } from './video.ts'
import { whatsappSteps } from './whatsapp.ts'
import { wikiSteps } from './wiki.ts'

/** APIs of the areas in the tour, with a key for each. Files need a scanner, and email must be caught. */
export interface TourApis {
  video: Api
  files: Api | undefined
  mail: MailApi | undefined
  push: PushApi
  guard: GuardApi
  platform: Api
  /** URL of the simulated phone for WhatsApp messages. `undefined` if messages are really sent. */
  whatsappUrl: string | undefined
}

/**
 * Shows a fresh installation in use. Each step makes real client calls and prints one line with its result and
 * duration. A failed part is reported, and the others continue. The folder of the tour stays until all parts have
 * finished, so that the next start repeats it. Returns the names of the failed parts.
 */
export async function runTour(data: string, apis: TourApis, signal: AbortSignal): Promise<string[]> {
  const folder = tourFolder(data)
  const tell = (text: string) => say('tour', text)
  tell('a first look; turn it off with TOUR=false npm start')
  const failed = await runParts(partsOf(folder, apis, signal), tell, signal)
  if (signal.aborted) return failed
  if (failed.length > 0) {
    tell(`ended without ${failed.join(', ')}; the next start runs it again`)
    return failed
  }
  await rm(folder, { recursive: true, force: true })
  tell('done')
  return []
}

function partsOf(folder: string, apis: TourApis, signal: AbortSignal): Part[] {
  const { platform, video } = apis
  return [
    { name: 'files', steps: apis.files ? fileSteps(apis.files) : [noScanner] },
    { name: 'email', steps: apis.mail ? mailSteps(apis.mail, signal) : [] },
    { name: 'push', steps: pushSteps(apis.push, signal) },
    { name: 'notify', steps: notifySteps(platform) },
    { name: 'queue', steps: queueSteps(platform, signal) },
    { name: 'guard', steps: guardSteps(apis.guard, signal) },
    { name: 'trust', steps: trustSteps(platform) },
    { name: 'geo', steps: geoSteps(platform) },
    { name: 'erp', steps: erpSteps(platform) },
    { name: 'identity', steps: identitySteps(platform, signal) },
    { name: 'whatsapp', steps: whatsappSteps(platform, apis.whatsappUrl) },
    { name: 'ai', steps: aiSteps(platform) },
    { name: 'bots', steps: botSteps(platform) },
    { name: 'wiki', steps: wikiSteps(platform, signal) },
    { name: 'video', steps: videoSteps(folder, video, signal) },
    { name: 'directory', steps: directorySteps(platform, video) },
    { name: 'live', steps: liveSteps(folder, video, signal) },
    { name: 'rooms', steps: roomSteps(folder, video, signal) },
  ]
}

const noScanner: Step = {
  name: 'files',
  run: async () => 'NOTICE: no malware scanner is installed, so files wait for a scan and cannot be downloaded',
}
