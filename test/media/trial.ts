import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import type { EngineCall, MediaEngine } from '#tasks/video/engine.ts'
import { isCopyable } from '#tasks/video/rules/transcode/copyable.ts'
import { MediaFault, type MediaFaultCode } from '#tasks/video/rules/transcode/media-fault.ts'
import { getDurationSeconds, planVideo } from '#tasks/video/rules/transcode/plan.ts'
import { selectAudioTracks } from '#tasks/video/rules/transcode/sound-tracks.ts'

/** How a file ended: what its owner is told, or that nobody knows what to tell. */
export type End = 'ready' | MediaFaultCode | 'timeout' | 'broken'

/** What became of a file on the whole way, and what that took. */
export interface Trial {
  end: End
  /** The `failure_summary` of a fault; of what should not have been, its error. */
  sentence: string
  seconds: number
  /** Largest resident size of a media tool, in MiB. */
  memory: number
  /** Files that the tools had open outside the folder and the system's own. */
  strayed: string[]
}

const system = /^(\/usr\/|\/lib|\/etc\/(ld\.so|fonts|ssl)|\/dev\/|\/proc\/|\/sys\/|pipe:|socket:|anon_inode:|\/memfd)/

/** Looks at the tools of this process 50 times a second until it is disposed of. */
export function watchTools(folder: string) {
  const seen = { memory: 0, strayed: new Set<string>() }
  const look = async (pid: string) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    seen.memory = Math.max(seen.memory, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    for (const name of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')
      if (target && !system.test(target) && !target.startsWith(folder)) seen.strayed.add(target)
    }
  }
  let busy = false
  const timer = setInterval(async () => {
    if (busy) return
    busy = true
    const text = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
    await Promise.all(text.trim().split(' ').filter(Boolean).map(look))
    busy = false
  }, 20)
  return { seen, [Symbol.dispose]: () => clearInterval(timer) }
}

/** A step without which an asset becomes ready all the same; it may fail, and not hang. */
async function optional(step: Promise<unknown>): Promise<void> {
  await step.catch((error: unknown) => {
    if (ending(error).end === 'timeout') throw error
  })
}

/** Takes a file the way that the tasks take an upload: probe, remux, copy, poster, sound, chunks, package. */
async function passThrough(engine: MediaEngine, source: string, folder: string, call: EngineCall): Promise<void> {
  await engine.probe(source, call)
  const mezzanine = await engine.mezzanine({ source, folder }, call)
  const plan = planVideo(mezzanine, 'standard_vod')
  if (isCopyable(mezzanine)) await optional(engine.packageCopy({ mezzanine, folder: join(folder, 'copy') }, call))
  const { path, probe } = mezzanine
  await optional(engine.poster({ source: path, probe, output: join(folder, 'poster.jpg') }, call))
  const pieces = join(folder, 'pieces')
  const sounds = selectAudioTracks(probe)
  const seconds = getDurationSeconds(mezzanine, plan)
  for (const { place } of sounds) await engine.encodeAudio({ mezzanine, place, seconds, folder: pieces }, call)
  for (let index = 0; plan && index < plan.chunks.count; index++)
    await engine.encodeChunk({ mezzanine, plan, index, folder: pieces }, call)
  await engine.packageLadder({ pieces, plan, sounds, folder: join(folder, 'ladder') }, call)
}

function ending(error: unknown): Pick<Trial, 'end' | 'sentence'> {
  if (error instanceof MediaFault) return { end: error.code, sentence: error.message }
  const timeout = error instanceof TransientEngineError && error.code === 'timeout'
  const text = error instanceof Error ? error.message : String(error)
  return { end: timeout || (error as Error)?.name === 'TimeoutError' ? 'timeout' : 'broken', sentence: text }
}

/** Tries a file in `folder`, for so many seconds at most; never throws. `own` is the folder of all that are tried at once. */
export async function tryFile(
  engine: MediaEngine,
  { source, folder, seconds, own = folder }: { source: string; folder: string; seconds: number; own?: string },
): Promise<Trial> {
  using tools = watchTools(own)
  const begun = performance.now()
  const signal = AbortSignal.timeout(seconds * 1000)
  const told = await passThrough(engine, source, folder, { signal }).then(
    () => ({ end: 'ready' as const, sentence: '' }),
    (error: unknown) => ending(error),
  )
  const { memory, strayed } = tools.seen
  return { ...told, seconds: (performance.now() - begun) / 1000, memory: Math.round(memory), strayed: [...strayed] }
}
