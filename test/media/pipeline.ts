import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mezzanine, Package, Watermark } from '#tasks/video/engine.ts'
import type { ProcessingProfile } from '#tasks/video/rules/transcode/ladder.ts'
import { getDurationSeconds, planVideo, type VideoPlan } from '#tasks/video/rules/transcode/plan.ts'
import { selectAudioTracks } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { createMediaEngine } from '../../workers/media/engine.ts'

/** The engine under test. */
export const engine = createMediaEngine({ nice: 0 })

/** What a call takes, never aborted. */
export const call = { signal: new AbortController().signal }

/** A scratch folder for a test file, removed when the process ends the test. */
export async function scratch(t: { teardown(work: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-media-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Does some work for each of a list, three at a time: most of it is waiting for programs to start. */
export async function each<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const items = list.values()
  const lane = async () => {
    for (const item of items) await work(item)
  }
  await Promise.all([lane(), lane(), lane()])
}

/** What the whole way from an upload to its ladder leaves. */
export interface Made {
  mezzanine: Mezzanine
  plan: VideoPlan | null
  ladder: Package
  /** Path of a file of the ladder. */
  at(file: string): string
}

/** Runs an upload through remux, chunks, sound and package as the tasks do. */
export async function make(
  source: string,
  folder: string,
  { profile = 'standard_vod', watermark }: { profile?: ProcessingProfile; watermark?: Watermark } = {},
): Promise<Made> {
  const mezzanine = await engine.mezzanine({ source, folder }, call)
  const plan = planVideo(mezzanine, profile)
  const pieces = join(folder, 'pieces')
  const sounds = selectAudioTracks(mezzanine.probe)
  const seconds = getDurationSeconds(mezzanine, plan)
  for (const { place } of sounds) await engine.encodeAudio({ mezzanine, place, seconds, folder: pieces }, call)
  for (let index = 0; plan && index < plan.chunks.count; index++) {
    await engine.encodeChunk({ mezzanine, plan, index, folder: pieces, ...(watermark && { watermark }) }, call)
  }
  const ladder = await engine.packageLadder({ pieces, plan, sounds, folder: join(folder, 'ladder') }, call)
  return { mezzanine, plan, ladder, at: (file) => join(ladder.folder, file) }
}

/** Runs an upload as far as the first chunk of its largest rendition: a look at its pictures, for a part of what a ladder costs. */
export async function makePicture(source: string, folder: string) {
  const mezzanine = await engine.mezzanine({ source, folder }, call)
  const plan = planVideo(mezzanine, 'standard_vod')
  const [top] = plan?.renditions ?? []
  if (!plan || !top) throw new TypeError(`${source} has no picture.`)
  const only = { ...plan, renditions: [top] }
  const { files, frames } = await engine.encodeChunk({ mezzanine, plan: only, index: 0, folder }, call)
  return { mezzanine, frames, width: top.width, height: top.height, path: files[0]?.path ?? '' }
}

/** Runs an upload as far as its encoded sound. */
export async function makeSound(source: string, folder: string): Promise<{ mezzanine: Mezzanine; path: string }> {
  const mezzanine = await engine.mezzanine({ source, folder }, call)
  const seconds = getDurationSeconds(mezzanine, planVideo(mezzanine, 'standard_vod'))
  const { path } = await engine.encodeAudio({ mezzanine, seconds, folder }, call)
  return { mezzanine, path }
}
