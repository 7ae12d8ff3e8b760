import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChunkInput, EncodedChunk, EngineCall, Mezzanine, Timeline, VideoTrack } from '#tasks/video/engine.ts'
import {
  type ChunkPlan,
  type ChunkRange,
  chunkFile,
  chunkRange,
  outputFrames,
} from '#tasks/video/rules/transcode/chunks.ts'
import { getLeadSeconds } from '#tasks/video/rules/transcode/film-length.ts'
import type { Rendition } from '#tasks/video/rules/transcode/ladder.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import type { VideoPlan } from '#tasks/video/rules/transcode/plan.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'
import { chain, createCommand, type Filter, type FilterGraph, withOptions } from './command.ts'
import type { MediaTools, RunResult } from './media-tools.ts'
import { readHeader } from './package/cmaf.ts'
import { deinterlace } from './picture/interlacing.ts'
import { normalise, prepare, scale, squarePixels } from './picture/picture.ts'
import { checkWatermark, overlay, watermarkInput } from './picture/watermark.ts'
import { threadsFor } from './threads.ts'
import { fileUrl, openMezzanine } from './untrusted.ts'
import { progressOf, stopwatch, withWorkspace } from './workspace.ts'

/** Number of frames before a chunk that bwdif needs to detect motion. */
const fieldLead = 2

/**
 * Returns the ticks per second of chunk files. The result is 90,000 if each frame lasts a whole number of ticks,
 * otherwise a multiple of the rate's numerator. It must be equal for all chunks, because otherwise the concat demuxer
 * rounds timestamps.
 */
function timescale({ num, den }: ChunkPlan['rate']): number {
  return (90_000 * den) % num === 0 ? 90_000 : num * Math.ceil(10_000 / num)
}

/**
 * True if a chunk starts at or before the first frame of the video. That frame is then held from the start of the
 * chunk.
 */
const isLead = (timeline: Timeline, { first }: ChunkRange, { rate }: ChunkPlan): boolean =>
  first / toNumber(rate) <= getLeadSeconds(timeline)

/**
 * Returns the position from which to read: the key frame at or before the chunk's first frame. Reading from there also
 * finds a frame that is shown long into the chunk. A video that was cut on our grid has a key frame exactly there, and
 * nothing is decoded twice. Seeking cuts nothing (`-noaccurate_seek`): frames are counted on the grid of the whole
 * video, and `trim` selects those of the chunk.
 */
function seek(video: VideoTrack, timeline: Timeline, range: ChunkRange, plan: ChunkPlan): string[] {
  const rate = toNumber(plan.rate)
  if (isLead(timeline, range, plan)) return []
  // If the last frame is held, only the last frame is read.
  const first = Math.min(range.first, outputFrames(timeline, plan.rate) - 1)
  // One millisecond later, because containers round times. A frame this close belongs to the chunk.
  const at = video.interlaced ? (first - fieldLead - 0.5) / rate : first / rate + 0.001
  return [
    ...['-seek_timestamp', '1', '-noaccurate_seek'],
    ...['-ss', (timeline.first * toNumber(timeline.timeBase) + at).toFixed(6)],
  ]
}

/**
 * Returns filters that select exactly the frames of the chunk and number them from 0. The grid starts with the video.
 * If the audio starts first, or the first frames cannot be decoded, the first good frame is shown from 0. If frames are
 * missing at the end, or the audio is longer, the last frame is held.
 */
function pick(video: VideoTrack, timeline: Timeline, chunks: ChunkPlan, range: ChunkRange): Filter[] {
  const { rate, frames } = chunks
  const { first } = range
  const from = isLead(timeline, range, chunks) && { start_time: (first / toNumber(rate)).toFixed(6) }
  const trimmed = (frame: number) => ({ filter: 'trim', options: { start_pts: frame } })
  const grid = [
    { filter: 'setpts', options: `PTS-(${timeline.first})` },
    { filter: 'fps', options: { fps: `${rate.num}/${rate.den}`, ...from } },
    { filter: 'tpad', options: { stop: frames, stop_mode: 'clone' } },
  ]
  const woven = [
    trimmed(first - fieldLead),
    deinterlace(video),
    { filter: 'settb', options: { expr: `${rate.den}/${rate.num}` } },
  ]
  const numbered = [trimmed(first), { filter: 'setpts', options: 'N' }]
  return [...grid, ...(video.interlaced ? woven : []), ...numbered]
}

/** Decodes once, normalises the video once at the largest size, and scales a copy for each rendition. */
function graph({ plan, index, watermark }: ChunkInput, video: VideoTrack, timeline: Timeline): FilterGraph {
  const { renditions, chunks } = plan
  const [top] = renditions
  if (!top) throw new RangeError('A plan must have at least one rendition.')
  const wanted = pick(video, timeline, chunks, chunkRange(chunks, index))
  const base = chain([...prepare(video, top), ...wanted, ...normalise(video, top)], [`0:${video.index}`], 'base')
  const copies = renditions.map((_, i) => `s${i}`)
  return [
    ...base,
    ...(watermark ? overlay(watermark, top) : []),
    ...chain([{ filter: 'split', options: `${renditions.length}` }], [watermark ? 'marked' : 'base'], ...copies),
    ...renditions.flatMap((rendition, i) => chain([scale(rendition), squarePixels], [`s${i}`], `v${i}`)),
  ]
}

/**
 * Options for closed groups of exactly `gop` frames, so that every chunk starts a segment and all renditions switch at
 * the same frames.
 */
function encoder(rendition: Rendition, { preset, chunks }: VideoPlan, threads: number): string[] {
  const { gop, rate } = chunks
  return [
    ...['-preset', preset, '-profile:v', 'high', '-level:v', rendition.level, '-pix_fmt', 'yuv420p'],
    ...['-g', String(gop), '-keyint_min', String(gop), '-sc_threshold', '0', '-flags', '+cgop'],
    ...['-x264-params', 'open-gop=0:scenecut=0', '-threads', String(threads)],
    // Constant quality with a maximum bit rate. With a mean bit rate, the full buffer at the start of each chunk was
    // visible as a pulse of 7 dB.
    ...['-crf', String(rendition.crf), '-maxrate', String(rendition.maxRate), '-bufsize', String(rendition.bufferSize)],
    ...['-fps_mode', 'passthrough', '-video_track_timescale', String(timescale(rate)), '-map_metadata', '-1'],
  ]
}

function tracks({ probe, timeline }: Mezzanine): { video: VideoTrack; timeline: Timeline } {
  if (!probe.video || !timeline) throw new TypeError('A file without video has no chunks.')
  return { video: probe.video, timeline }
}

/**
 * True if the input is the reason why a run produced no frames. ffmpeg then exited normally, failed to decode, or found
 * no further video.
 */
function isUndecodable({ ok, errors, messages }: RunResult): boolean {
  return (
    errors > 0 &&
    (ok || messages.some((line) => /Error while decoding|Invalid data found|matches no streams/.test(line)))
  )
}

/** Encodes one chunk for all renditions in one run. Every output file has exactly the planned frames. */
export async function encodeChunk(tools: MediaTools, input: ChunkInput, call: EngineCall): Promise<EncodedChunk> {
  const clock = stopwatch()
  const { mezzanine, plan, index, folder, watermark } = input
  const { video, timeline } = tracks(mezzanine)
  const range = chunkRange(plan.chunks, index)
  const rate = toNumber(plan.chunks.rate)
  const tell = progressOf(call, range.frames)
  const threads = threadsFor(tools, video, input.unfinished)
  return withWorkspace(folder, async (workspace) => {
    const opened = [
      ...['-copyts', '-filter_complex_threads', String(threads.encoder)],
      // If the source changes its size, as browser recordings do, the same filter graph scales it. A new graph would
      // count from 0 again.
      ...['-reinit_filter', '0', '-threads', String(threads.decoder)],
      ...seek(video, timeline, range, plan.chunks),
    ]
    const film = withOptions(opened, openMezzanine(mezzanine.path))
    const command = createCommand(film, ...(watermark ? [await watermarkInput(watermark.path)] : []))
    command.complexFilter(graph(input, video, timeline))
    for (const [i, rendition] of plan.renditions.entries()) {
      command
        .output(fileUrl(join(workspace.folder, chunkFile(rendition.name, index))))
        .map(`v${i}`)
        .videoCodec('libx264')
        .frames(range.frames)
        .format('mp4')
        .outputOptions(...encoder(rendition, plan, threads.encoder))
    }
    const run = await tools.ffmpeg(command, {
      call,
      // A slow core can need 20 s per second of output. The additional ten minutes are for files that only seem short.
      timeout: 600_000 + (range.frames / rate) * 60_000,
      onProgress: ({ frames }) => tell(frames),
    })
    const files = await Promise.all(
      plan.renditions.map(async ({ name }) => {
        const file = chunkFile(name, index)
        const { samples } = await readHeader(join(workspace.folder, file)).catch(() => ({ samples: 0 }))
        const { size: bytes } = await stat(join(workspace.folder, file)).catch(() => ({ size: 0 }))
        return { rendition: name, file, path: join(folder, file), samples, bytes }
      }),
    )
    if (files.some(({ samples }) => samples !== range.frames)) {
      const counts = files.map(({ file, samples }) => `${file}: ${samples} of ${range.frames} frames`).join(', ')
      const evidence = [counts, ...run.messages].join('\n')
      if (watermark) await checkWatermark(tools, watermark.path, call)
      if (isUndecodable(run) && files.every(({ samples }) => samples === 0)) throw new MediaFault('corrupt', evidence)
      throw new Error(`An encoded chunk is wrong. ${evidence}`)
    }
    await workspace.publish(files.map(({ file }) => file))
    return {
      index,
      frames: range.frames,
      files: files.map(({ rendition, path, bytes }) => ({ rendition, path, bytes })),
      cpuSeconds: run.cpuSeconds,
      wallSeconds: clock(),
    }
  })
}
