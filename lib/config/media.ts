import { z } from 'zod'
import { concurrency, http, text } from './values.ts'

/** What the media pools read: programs, and the engines that make captions. */
export const media = {
  MEDIA_CONCURRENCY: concurrency.default(2).describe('media jobs at once in one worker'),
  MEDIA_NICE: z.coerce
    .number()
    .int()
    .min(0)
    .max(19)
    .default(10)
    .describe('niceness of ladder and captions: how far they stand back behind all else on the host; 0 is not at all'),
  SANDBOX: z
    .enum(['on', 'off'])
    .default('on')
    .describe('`off` has ffmpeg and unpackers run where the machine cannot take network and resources from them'),
  FFMPEG_PATH: text.default('ffmpeg').describe('ffmpeg program'),
  FFPROBE_PATH: text.default('ffprobe').describe('ffprobe program'),
  SPEECH_API_URL: http
    .optional()
    .describe('transcription service with the API of OpenAI, such as https://api.openai.com/v1; it makes the captions'),
  SPEECH_API_KEY: text.optional().describe('its key'),
  SPEECH_API_MODEL: text.default('whisper-1').describe('its model'),
  WHISPER_PATH: text
    .optional()
    .describe('whisper.cpp program, `whisper-cli`; it makes the captions when no service is named'),
  WHISPER_MODEL: text.optional().describe('its model, a file'),
  POCKETSPHINX_PATH: text
    .default('pocketsphinx_continuous')
    .describe('program that makes the captions when there is nothing better'),
}
