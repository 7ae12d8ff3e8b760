import { openAsBlob } from 'node:fs'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { mask, maskText } from '#lib/mask.ts'
import { readLanguage, whisperCode, whisperLanguages } from '#tasks/video/rules/captions/languages.ts'
import { type Speech, TranscriptionError } from '#tasks/video/rules/captions/speech.ts'
import { VerboseJson, wordsOf } from './verbose-json.ts'

export interface SpeechService {
  /** Up to and without `/audio/transcriptions`. */
  url: string
  key: string | undefined
  model: string
  /** Languages of the model. Default: the languages of Whisper. */
  languages: readonly string[] | undefined
}

const final = new Set([400, 401, 403, 404, 405, 410, 413, 415, 422])
/** Maximum size of a response in bytes. The words of two minutes have about 50 KB. */
const largestAnswer = 8 * 2 ** 20
/** Timeout in milliseconds, slightly shorter than fetch's own timeout for the first byte of a response. */
const timeoutMs = 290_000

/** Sends audio to `POST {url}/audio/transcriptions`. The key is sent nowhere else, and no message contains the key. */
export function speechService({ url, key, model, languages = whisperLanguages }: SpeechService): Speech {
  const endpoint = `${url.replace(/(?<!\/)\/+$/, '')}/audio/transcriptions`

  async function send(form: FormData, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const headers = { accept: 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
    const answer = await fetch(endpoint, { method: 'POST', headers, body: form, signal, redirect: 'error' })
    return { status: answer.status, text: await readText(answer) }
  }

  const masked = (text: string) => maskText(key ? text.replaceAll(key, mask) : text).slice(0, 500)

  return {
    name: `${new URL(url).hostname} ${model}`,
    // A request has 4 MB. The usual limit is 25 MB. A server that needs twice the duration of the speech still responds
    // in time.
    stretch: 120,
    abilities: async () => ({ languages, detects: languages.length > 1 }),
    async check() {},
    async transcribe({ path, seconds, language }, { signal, timeout = timeoutMs }) {
      const form = new FormData()
      form.append('file', await openAsBlob(path, { type: 'audio/wav' }), 'speech.wav')
      const fields = { model, response_format: 'verbose_json', temperature: '0' }
      // Services detect the language if the field is missing.
      if (language !== null) form.append('language', whisperCode(language))
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      for (const kind of ['word', 'segment']) form.append('timestamp_granularities[]', kind)
      const late = AbortSignal.timeout(timeout)
      const { status, text } = await send(form, AbortSignal.any([signal, late])).catch((error: Error) => {
        signal.throwIfAborted()
        if (late.aborted)
          throw new TransientEngineError('timeout', 'The transcription service did not respond in time.')
        throw new TransientEngineError('failed', `The transcription service is unavailable: ${masked(reason(error))}`)
      })
      if (final.has(status)) throw new TranscriptionError('engine_refused', `${status} ${masked(text)}`)
      if (status !== 200)
        throw new TransientEngineError('failed', `The transcription service returned ${status}: ${masked(text)}`)
      const answer = read(text)
      return { words: wordsOf(answer, seconds), language: readLanguage(answer.language) ?? language }
    },
  }
}

const reason = (error: Error) => (error.cause instanceof Error ? error.cause.message || error.message : error.message)

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (bytes > largestAnswer) throw new Error('The response is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function read(text: string): VerboseJson {
  try {
    return VerboseJson.parse(JSON.parse(text))
  } catch {
    throw new TranscriptionError('engine_refused', 'The response is not verbose_json.')
  }
}
