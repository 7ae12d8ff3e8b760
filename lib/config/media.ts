import { z } from 'zod'
import { isLanguageTag } from '../language-tag.ts'
import { concurrency, http, list, text } from './values.ts'

export const media = {
  MEDIA_CONCURRENCY: concurrency.default(2).describe('Maximum number of concurrent media jobs per worker'),
  MEDIA_NICE: z.coerce
    .number()
    .int()
    .min(0)
    .max(19)
    .default(10)
    .describe(
      'Niceness of the processes that create renditions and captions. A higher value gives them lower priority on the host. 0 means normal priority.',
    ),
  SANDBOX: z
    .enum(['on', 'off'])
    .default('on')
    .describe('`off` allows ffmpeg and unpackers on machines that cannot restrict their network and resources'),
  FFMPEG_PATH: text.default('ffmpeg').describe('ffmpeg executable'),
  FFPROBE_PATH: text.default('ffprobe').describe('ffprobe executable'),
  SPEECH_API_URL: http
    .optional()
    .describe(
      'Transcription service with an OpenAI-compatible API that creates captions. For example, https://api.openai.com/v1.',
    ),
  SPEECH_API_KEY: text.optional().describe('API key of the transcription service'),
  SPEECH_API_MODEL: text.default('whisper-1').describe('Model of the transcription service'),
  SPEECH_API_LANGUAGES: list
    .refine((tags) => tags.length > 0 && tags.every(isLanguageTag), 'must be BCP 47 language tags, separated by commas')
    .optional()
    .describe(
      'Languages of the model, separated by commas. For example, `en,de`. Default: the languages of Whisper models.',
    ),
  SPEECH_MODEL: text
    .regex(/^[a-z0-9][a-z0-9.-]{0,63}$/, 'must be the name of a model that `npx millrace models` lists')
    .optional()
    .describe(
      'Speech model that creates captions if no service and no whisper.cpp is configured. Install it with `npx millrace models add`.',
    ),
  SPEECH_MODELS_URL: http
    .default('https://github.com/k2-fsa/sherpa-onnx/releases/download/asr-models')
    .describe('Folder from which `npx millrace models add` downloads. It can be a mirror.'),
  WHISPER_PATH: text
    .optional()
    .describe('whisper.cpp executable, `whisper-cli`. It creates captions if no transcription service is configured.'),
  WHISPER_MODEL: text.optional().describe('Model file of whisper.cpp'),
  POCKETSPHINX_PATH: text
    .default('pocketsphinx_continuous')
    .describe('Executable that creates captions if no other engine is configured'),
}
