import { z } from 'zod'
import { isLanguageTag } from '#lib/language-tag.ts'

const FileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the name of a file, without folders')

const files = {
  whisper: z.strictObject({ encoder: FileName, decoder: FileName, tokens: FileName }),
  transducer: z.strictObject({ encoder: FileName, decoder: FileName, joiner: FileName, tokens: FileName }),
  ctc: z.strictObject({ model: FileName, tokens: FileName }),
}

const facts = {
  name: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,63}$/, 'must have 1 to 64 lower-case letters, digits, `.` and `-`'),
  languages: z.array(z.string().refine(isLanguageTag, 'must be a BCP 47 language tag')).min(1).max(500),
  licence: z.string().min(1).max(200),
  /** Name of the archive below the URL of the models. It is a tar archive with one folder. */
  archive: FileName,
  bytes: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'),
}

/**
 * A speech model for sherpa-onnx. `whisper` detects the spoken language if it has several. `transducer` and `ctc` are
 * exports of NeMo. They write each language that they know, but do not return which one it is.
 */
export const SpeechModel = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('whisper'), files: files.whisper, ...facts }),
  z.strictObject({ kind: z.literal('transducer'), files: files.transducer, ...facts }),
  z.strictObject({ kind: z.literal('ctc'), files: files.ctc, ...facts }),
])

export type SpeechModel = z.infer<typeof SpeechModel>

export const SpeechModels = z.array(SpeechModel).max(1_000)

export const detectsLanguage = ({ kind, languages }: SpeechModel): boolean => kind === 'whisper' && languages.length > 1
