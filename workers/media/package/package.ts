import { symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { EngineCall, LadderInput, Package, PackagedRendition } from '#tasks/video/engine.ts'
import { chunkFile } from '#tasks/video/rules/transcode/chunks.ts'
import type { Rendition } from '#tasks/video/rules/transcode/ladder.ts'
import type { VideoPlan } from '#tasks/video/rules/transcode/plan.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'
import { type Sound, soundFile, soundName } from '#tasks/video/rules/transcode/sound-tracks.ts'
import type { MediaTools } from '../media-tools.ts'
import { makeThumbnails } from '../picture/thumbnails.ts'
import { fileUrl, getFileOptions } from '../untrusted.ts'
import { progressOf, stopwatch, withWorkspace } from '../workspace.ts'
import { readHeader } from './cmaf.ts'
import { type HlsTrack, writeHls } from './hls.ts'
import { describeAudioTrack, finishPackage, type TrackOnDisk } from './measured-package.ts'

/**
 * Counts the frames in the chunks of a rendition. Checks that all chunks have the same encoder configuration, because
 * the joined track has only one.
 */
async function checkChunks(pieces: string, name: string, { chunks }: VideoPlan): Promise<void> {
  let frames = 0
  let config: string | undefined
  for (let i = 0; i < chunks.count; i++) {
    const header = await readHeader(join(pieces, chunkFile(name, i)))
    const own = header.avcConfig?.toString('hex') ?? ''
    config ??= own
    if (own !== config)
      throw new Error(`${chunkFile(name, i)} and ${chunkFile(name, 0)} were encoded by different encoders.`)
    frames += header.samples
  }
  if (frames !== chunks.frames) throw new Error(`The chunks of ${name} have ${frames} of ${chunks.frames} frames.`)
}

async function joined(pieces: string, folder: string, name: string, plan: VideoPlan): Promise<HlsTrack> {
  await checkChunks(pieces, name, plan)
  const files = Array.from({ length: plan.chunks.count }, (_, i) => chunkFile(name, i))
  for (const file of files) await symlink(resolve(pieces, file), join(folder, file))
  const list = join(folder, `${name}.ffconcat`)
  await writeFile(list, ['ffconcat version 1.0', ...files.map((file) => `file ${file}`), ''].join('\n'))
  const input = { source: fileUrl(list), options: [...getFileOptions('concat,mov'), '-f', 'concat', '-safe', '1'] }
  return { name, kind: 'video', input, stream: 'v:0' }
}

function expectFrames(renditions: PackagedRendition[], frames: number): void {
  const wrong = renditions.filter((rendition) => rendition.width > 0 && rendition.frames !== frames)
  if (wrong.length === 0) return
  const counts = wrong.map((rendition) => `${rendition.name} ${rendition.frames}`).join(', ')
  throw new Error(`The package should have ${frames} frames: ${counts}.`)
}

/** Maximum short side in pixels of renditions that get an I-frame playlist. Scrubbing previews are small. */
const mostKeyLines = 480

function tracksOf(renditions: Rendition[], sounds: Sound[]): TrackOnDisk[] {
  const isForKeys = ({ name, width, height }: Rendition) =>
    name === renditions.at(-1)?.name || Math.min(width, height) <= mostKeyLines
  const pictures = renditions.map((rendition) => {
    const { name, width, height } = rendition
    return { name, width, height, keys: isForKeys(rendition) }
  })
  return [...pictures, ...sounds.map(describeAudioTrack)]
}

export async function packageLadder(
  tools: MediaTools,
  { pieces, plan, sounds, folder }: LadderInput,
  call: EngineCall,
): Promise<Package> {
  const clock = stopwatch()
  const rate = plan?.chunks.rate ?? null
  const seconds = plan ? plan.chunks.frames / toNumber(plan.chunks.rate) : 0
  const tell = progressOf(call, seconds)
  return withWorkspace(folder, async (workspace) => {
    const renditions = plan?.renditions ?? []
    const pictures: HlsTrack[] = []
    for (const { name } of renditions) pictures.push(await joined(pieces, workspace.folder, name, plan as VideoPlan))
    const heard = sounds.map(({ place }): HlsTrack => {
      const input = { source: fileUrl(join(pieces, soundFile(place))), options: getFileOptions('mov') }
      return { name: soundName(place), kind: 'audio', input, stream: 'a:0' }
    })
    const segmentSeconds = plan ? plan.chunks.segment / toNumber(plan.chunks.rate) : 6
    const job = { tracks: [...pictures, ...heard], segmentSeconds, folder: workspace.folder, seconds }
    const run = await writeHls(tools, job, call, tell)
    if (!run.ok) throw new Error(`The chunks could not be joined: ${run.messages.join('; ')}`)
    const thumbnails = plan
      ? await makeThumbnails(tools, { folder: workspace.folder, track: pictures.at(-1) as HlsTrack, plan }, call)
      : { files: [], cpuSeconds: 0 }
    const options = { rate, thumbnails: thumbnails.files }
    const facts = await finishPackage(workspace.folder, tracksOf(renditions, sounds), options)
    expectFrames(facts.renditions, plan?.chunks.frames ?? 0)
    await workspace.publish(facts.files)
    return { folder, ...facts, cpuSeconds: run.cpuSeconds + thumbnails.cpuSeconds, wallSeconds: clock() }
  })
}
