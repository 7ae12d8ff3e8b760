import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from '#lib/errors.ts'
import { say } from '../start/terminal.ts'
import type { Api } from '../video-client.ts'
import { aiSteps } from './ai.ts'
import { botSteps } from './bots.ts'
import { directorySteps } from './directory.ts'
import { erpSteps } from './erp.ts'
import { fileSteps } from './files.ts'
import { geoSteps } from './geo.ts'
import { type GuardApi, guardSteps } from './guard.ts'
import { identitySteps } from './identity.ts'
import { liveSteps } from './live.ts'
import { type MailApi, mailSteps } from './mail.ts'
import { notifySteps } from './notify.ts'
import { type PushApi, pushSteps } from './push.ts'
import { roomSteps } from './rooms.ts'
import { trustSteps } from './trust.ts'
import { type Step, videoSteps } from './video.ts'
import { whatsappSteps } from './whatsapp.ts'
import { wikiSteps } from './wiki.ts'

const folderIn = (data: string) => join(data, 'tour')

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
    for (const step of stepsOf(folder, apis, signal)) await take(step)
    await rm(folder, { recursive: true, force: true })
    say('tour', 'done')
  } catch (error) {
    if (!signal.aborted) say('tour', `stopped: ${describe(error)}; the next start begins it again`)
  }
}

function stepsOf(folder: string, apis: TourApis, signal: AbortSignal): Step[] {
  const { platform, video } = apis
  return [
    ...(apis.files ? fileSteps(apis.files) : [noScanner]),
    ...(apis.mail ? mailSteps(apis.mail, signal) : []),
    ...pushSteps(apis.push, signal),
    ...notifySteps(platform),
    ...guardSteps(apis.guard, signal),
    ...trustSteps(platform),
    ...geoSteps(platform),
    ...erpSteps(platform),
    ...identitySteps(platform),
    ...whatsappSteps(platform, apis.whatsappUrl),
    ...aiSteps(platform),
    ...botSteps(platform),
    ...wikiSteps(platform, signal),
    ...videoSteps(folder, video, signal),
    ...directorySteps(platform, video),
    ...liveSteps(folder, video, signal),
    ...roomSteps(folder, video, signal),
  ]
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
