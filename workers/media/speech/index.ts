import { config } from '#lib/config.ts'
import type { Speech } from '#tasks/video/rules/captions/speech.ts'
import { createMediaTools } from '../media-tools.ts'
import { modelsFolder } from './models/installed.ts'
import { pocketsphinx } from './pocketsphinx.ts'
import { sherpa } from './sherpa.ts'
import { speechService } from './transcription-api.ts'
import { whisper } from './whisper.ts'

/**
 * Returns the first configured speech engine: a service, otherwise whisper.cpp, otherwise an ONNX model,
 * otherwise pocketsphinx. `nice` has the
 * same meaning as in the sandbox.
 */
export function configuredSpeech(nice: number): Speech {
  const {
    SPEECH_API_URL: url,
    SPEECH_API_KEY: key,
    SPEECH_API_MODEL,
    WHISPER_PATH,
    WHISPER_MODEL,
    SPEECH_MODEL,
  } = config
  if (url) return speechService({ url, key, model: SPEECH_API_MODEL, languages: config.SPEECH_API_LANGUAGES })
  const tools = createMediaTools({ nice })
  if (WHISPER_PATH || WHISPER_MODEL) return whisper(tools, { program: WHISPER_PATH, model: WHISPER_MODEL })
  if (SPEECH_MODEL) return sherpa(tools, { model: SPEECH_MODEL, folder: modelsFolder() })
  return pocketsphinx(tools, config.POCKETSPHINX_PATH)
}
