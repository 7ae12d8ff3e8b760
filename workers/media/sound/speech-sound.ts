import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall, SpeechInput, SpeechStretch } from '#tasks/video/engine.ts'
import { createCommand, mapStream, withOptions } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, openMezzanine } from '../untrusted.ts'
import { toMediaFault } from '../verdict.ts'

const sampleRate = 16_000
const bytesPerSecond = sampleRate * 2
/** Number of samples per window for measuring loudness: 50 ms. */
const window = sampleRate / 20
/** Minimum number of consecutive quiet windows for a cut: 0.3 s. */
const quiet = 6
/** Share of a piece, at its end, in which the piece can be cut. */
const tail = 0.25
/** Root mean square below which audio counts as silent: -60 dBFS. Full scale is 1. */
const audible = 0.001

function loudness(pcm: Buffer): Float64Array {
  const windows = new Float64Array(Math.floor(pcm.length / 2 / window))
  for (let i = 0; i < windows.length; i++) {
    let sum = 0
    for (let sample = i * window; sample < (i + 1) * window; sample++)
      sum += (pcm.readInt16LE(sample * 2) / 32_768) ** 2
    windows[i] = Math.sqrt(sum / window)
  }
  return windows
}

/** Returns the position of the sample in the middle of the quietest 0.3 s near the end. */
function quietest(windows: Float64Array): number {
  let [least, best] = [Number.POSITIVE_INFINITY, windows.length - quiet]
  for (let i = Math.floor(windows.length * (1 - tail)); i + quiet <= windows.length; i++) {
    const loud = windows.subarray(i, i + quiet).reduce((sum, value) => sum + value, 0)
    if (loud < least) [least, best] = [loud, i]
  }
  return Math.max(1, best + quiet / 2) * window
}

function wavHeader(bytes: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + bytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(bytesPerSecond, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  return header
}

async function decode(
  tools: MediaTools,
  { sound, skip, most, folder }: SpeechInput,
  call: EngineCall,
): Promise<Buffer> {
  const path = join(folder, 'speech.pcm')
  const command = createCommand(withOptions(['-vn'], openMezzanine(sound)))
    .output(fileUrl(path))
    .outputOptions(...mapStream('0:a:0'))
    .audioFilters([
      { filter: 'asetpts', options: 'N/SR/TB' },
      { filter: 'atrim', options: { start: skip.toFixed(6), duration: most.toFixed(6) } },
    ])
    .audioChannels(1)
    .audioFrequency(sampleRate)
    .format('s16le')
  const run = await tools.ffmpeg(command, { call, timeout: 60_000 + most * 1_000 })
  if (!run.ok) throw toMediaFault(run.messages, 'corrupt')
  return await readFile(path)
}

export async function cutSpeech(tools: MediaTools, input: SpeechInput, call: EngineCall): Promise<SpeechStretch> {
  const pcm = await decode(tools, input, call)
  const windows = loudness(pcm)
  // Audio that ends too early is returned as a whole, because nothing follows it.
  const whole = input.whole || pcm.length < (input.most - 0.1) * bytesPerSecond || windows.length < quiet * 2
  const spoken = whole ? pcm : pcm.subarray(0, quietest(windows) * 2)
  const path = join(input.folder, 'speech.wav')
  await using file = await open(path, 'w')
  await file.writev([wavHeader(spoken.length), spoken])
  return {
    path,
    seconds: whole ? input.most : spoken.length / bytesPerSecond,
    silent: windows.subarray(0, Math.ceil(spoken.length / 2 / window)).every((loud) => loud < audible),
  }
}
