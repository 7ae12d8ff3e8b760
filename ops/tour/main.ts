import { rm } from 'node:fs/promises'
import { say } from '../start/terminal.ts'
import type { Api } from '../video-client.ts'
import { aiSteps } from './ai.ts'
import { botSteps } from './bots.ts'
import { directorySteps } from './directory.ts'
import { folderIn } from './due.ts'
import { erpSteps } from './erp.ts'
import { fileSteps } from './files.ts'
import { geoSteps } from './geo.ts'
import { type GuardApi, guardSteps } from './guard.ts'
import { identitySteps } from './identity.ts'
import { liveSteps } from './live.ts'
import { type MailApi, mailSteps } from './mail.ts'
import { notifySteps } from './notify.ts'
import { type Part, showParts } from './parts.ts'
import { type PushApi, pushSteps } from './push.ts'
import { roomSteps } from './rooms.ts'
import { trustSteps } from './trust.ts'
import { type Step, videoSteps } from './video.ts'
import { whatsappSteps } from './whatsapp.ts'
import { wikiSteps } from './wiki.ts'

/** The areas that the tour shows, with a key for each; without a scanner, files are not, nor is mail that leaves. */
export interface TourApis {
  video: Api
  files: Api | undefined
  mail: MailApi | undefined
  push: PushApi
  guard: GuardApi
  /** With the key of the areas that share one. */
  platform: Api
  /** Of the phone on which messages by WhatsApp show, unless they leave. */
  whatsappUrl: string | undefined
}

/**
 * Shows a fresh installation at work: each step does something real as a client would, and says in a line what happened and
 * how long it took. A part that fails is said and left, and the others go on; the tour's folder stands until all have come to their
 * end, and by that the next start knows to begin it again. Returns the names of the parts that failed.
 */
export async function runTour(data: string, apis: TourApis, signal: AbortSignal): Promise<string[]> {
  const folder = folderIn(data)
  const tell = (text: string) => say('tour', text)
  tell('a first look; TOUR=false npm start goes without it')
  const failed = await showParts(partsOf(folder, apis, signal), tell, signal)
  if (signal.aborted) return failed
  if (failed.length > 0) {
    tell(`ended without ${failed.join(', ')}; the next start begins it again`)
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
  run: async () => 'NOTICE: there is no malware scanner here, so files wait unscanned and cannot be downloaded',
}
