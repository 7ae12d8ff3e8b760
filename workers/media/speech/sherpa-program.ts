/** Transcribes one WAV file with sherpa-onnx. The worker starts it in the sandbox, so that it ends with its memory. */
import { createRequire } from 'node:module'

export interface SherpaOrder {
  kind: 'whisper' | 'transducer' | 'ctc'
  /** Paths by role. */
  files: Readonly<Record<string, string>>
  /** Code of the language for the model. Empty: the model detects it. */
  language: string
  threads: number
  sound: string
}

interface Sherpa {
  OfflineRecognizer: new (
    config: object,
  ) => {
    createStream(): { acceptWaveform(sound: object): void }
    decode(stream: object): void
    getResult(stream: object): object
  }
  readWave(path: string, external: boolean): object
}

function configOf({ kind, files: { tokens = '', ...files }, language, threads }: SherpaOrder): object {
  const common = { tokens, numThreads: threads, provider: 'cpu', debug: 0 }
  const models = {
    whisper: { whisper: { ...files, language, task: 'transcribe', tailPaddings: -1, enableSegmentTimestamps: 1 } },
    transducer: { transducer: files, modelType: 'nemo_transducer' },
    ctc: { nemoCtc: files },
  }
  return { featConfig: { sampleRate: 16_000, featureDim: 80 }, modelConfig: { ...common, ...models[kind] } }
}

const order: SherpaOrder = JSON.parse(process.argv[2] ?? '')
const { OfflineRecognizer, readWave }: Sherpa = createRequire(import.meta.url)('sherpa-onnx-node')
const recognizer = new OfflineRecognizer(configOf(order))
const stream = recognizer.createStream()
stream.acceptWaveform(readWave(order.sound, false))
recognizer.decode(stream)
process.stdout.write(`heard ${JSON.stringify(recognizer.getResult(stream))}\n`)
