import { whisperLanguages } from '#tasks/video/rules/captions/languages.ts'
import type { SpeechModel } from './model.ts'

function whisper(size: string, bytes: number, sha256: string): SpeechModel {
  return {
    name: `whisper-${size}`,
    kind: 'whisper',
    languages: [...whisperLanguages],
    licence: 'MIT',
    archive: `sherpa-onnx-whisper-${size}.tar.bz2`,
    bytes,
    sha256,
    files: {
      encoder: `${size}-encoder.int8.onnx`,
      decoder: `${size}-decoder.int8.onnx`,
      tokens: `${size}-tokens.txt`,
    },
  }
}

/** The models that `npx millrace models` offers, as sherpa-onnx publishes them. */
export const catalogue: readonly SpeechModel[] = [
  whisper('tiny', 116_204_861, 'c46116994e539aa165266d96b325252728429c12535eb9d8b6a2b10f129e66b1'),
  whisper('base', 207_557_382, '911b2083efd7c0dca2ac3b358b75222660dc09fb716d64fbfc417ba6c99ff3de'),
  whisper('small', 639_387_718, '486a46afbb7ba798507190ffe02fea2dd726049af212e774537efac6afb210a6'),
  {
    name: 'parakeet-tdt-0.6b-v3',
    kind: 'transducer',
    languages: 'bg cs da de el en es et fi fr hr hu it lt lv mt nl pl pt ro ru sk sl sv uk'.split(' '),
    licence: 'CC-BY-4.0 (NVIDIA)',
    archive: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2',
    bytes: 487_170_055,
    sha256: '5793d0fd397c5778d2cf2126994d58e9d56b1be7c04d13c7a15bb1b4eafb16bf',
    files: {
      encoder: 'encoder.int8.onnx',
      decoder: 'decoder.int8.onnx',
      joiner: 'joiner.int8.onnx',
      tokens: 'tokens.txt',
    },
  },
]
