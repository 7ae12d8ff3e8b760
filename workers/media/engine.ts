import type { MediaEngine } from '#tasks/video/engine.ts'
import { encodeChunk } from './chunk.ts'
import { cutClip } from './clip/cut.ts'
import { createMediaTools, type MediaToolsOptions } from './media-tools.ts'
import { makeMezzanine } from './mezzanine.ts'
import { makeMp4 } from './package/mp4.ts'
import { packageLadder } from './package/package.ts'
import { packageCopy } from './package/package-copy.ts'
import { packageSound } from './package/package-sound.ts'
import { takeFrame } from './picture/frame.ts'
import { joinRecordings } from './picture/join.ts'
import { makeMotion } from './picture/motion.ts'
import { makePoster } from './picture/poster.ts'
import { makePreview } from './picture/preview.ts'
import { checkWatermark } from './picture/watermark.ts'
import { probe } from './probe.ts'
import { encodeAudio } from './sound/audio.ts'
import { cutSpeech } from './sound/speech-sound.ts'

export type MediaEngineOptions = MediaToolsOptions

/** Creates the media engine with the machine's ffmpeg and ffprobe (5.1 or newer). */
export function createMediaEngine(options: MediaEngineOptions = {}): MediaEngine {
  const tools = createMediaTools(options)
  return {
    probe: (input, call) => probe(tools, input, call),
    mezzanine: (input, call) => makeMezzanine(tools, input, call),
    join: (input, call) => joinRecordings(tools, input, call),
    packageCopy: (input, call) => packageCopy(tools, input, call),
    encodeAudio: (input, call) => encodeAudio(tools, input, call),
    encodeChunk: (input, call) => encodeChunk(tools, input, call),
    packageLadder: (input, call) => packageLadder(tools, input, call),
    checkWatermark: (path, call) => checkWatermark(tools, path, call),
    cutSpeech: (input, call) => cutSpeech(tools, input, call),
    frame: (input, call) => takeFrame(tools, input, call),
    preview: (input, call) => makePreview(tools, input, call),
    mp4: (input, call) => makeMp4(tools, input, call),
    clip: (input, call) => cutClip(tools, input, call),
    motion: (input, call) => makeMotion(tools, input, call),
    packageSound: (input, call) => packageSound(tools, input, call),
    poster: (input, call) => makePoster(tools, input, call),
  }
}
