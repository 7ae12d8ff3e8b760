import type { MediaEngine } from '#tasks/video/engine.ts'
import { encodeAudio } from './audio.ts'
import { encodeChunk } from './chunk.ts'
import { takeFrame } from './frame.ts'
import { joinRecordings } from './join.ts'
import { createMediaTools, type MediaToolsOptions } from './media-tools.ts'
import { makeMezzanine } from './mezzanine.ts'
import { makeMp4 } from './mp4.ts'
import { packageLadder } from './package.ts'
import { packageCopy } from './package-copy.ts'
import { makePoster } from './poster.ts'
import { makePreview } from './preview.ts'
import { probe } from './probe.ts'
import { cutSpeech } from './speech-sound.ts'
import { checkWatermark } from './watermark.ts'

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
    poster: (input, call) => makePoster(tools, input, call),
  }
}
