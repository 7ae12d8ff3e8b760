import type { MediaEngine } from '#tasks/video/transcode/engine.ts'
import { createSandbox, type SandboxOptions } from '../sandbox/sandbox.ts'
import { encodeAudio } from './audio.ts'
import { encodeChunk } from './chunk.ts'
import { makeMezzanine } from './mezzanine.ts'
import { packageLadder } from './package.ts'
import { packageCopy } from './package-copy.ts'
import { makePoster } from './poster.ts'
import { probe } from './probe.ts'
import { cutSpeech } from './speech-sound.ts'
import { checkWatermark } from './watermark.ts'

/** How the media engine runs its tools. */
export type MediaEngineOptions = SandboxOptions

/** Makes the media engine on the machine's ffmpeg and ffprobe (5.1 or newer). */
export function createMediaEngine(options: MediaEngineOptions = {}): MediaEngine {
  const sandbox = createSandbox(options)
  return {
    probe: (input, call) => probe(sandbox, input, call),
    mezzanine: (input, call) => makeMezzanine(sandbox, input, call),
    packageCopy: (input, call) => packageCopy(sandbox, input, call),
    encodeAudio: (input, call) => encodeAudio(sandbox, input, call),
    encodeChunk: (input, call) => encodeChunk(sandbox, input, call),
    packageLadder: (input, call) => packageLadder(sandbox, input, call),
    checkWatermark: (path, call) => checkWatermark(sandbox, path, call),
    cutSpeech: (input, call) => cutSpeech(sandbox, input, call),
    poster: (input, call) => makePoster(sandbox, input, call),
  }
}
