import { newId } from '#lib/ids.ts'
import * as audio from '#sql/ai/audio.ts'
import type { DatabasePool } from '#sql/db.ts'
import { completionTimeoutMs } from '#tasks/ai/rules/request.ts'
import { requireKeyUse } from '#tasks/ai/rules/require-key-use.ts'
import { requireTokens } from '#tasks/ai/rules/token-budget.ts'
import type { AudioFault } from '#tasks/ai/rules/transcript.ts'
import { transcribeAudio } from '#tasks/ai/transcribe-audio.ts'
import { getSpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'
import { noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { readBoundary, readForm } from '../http/request/multipart-form.ts'
import { readWithin } from '../http/request/read-within.ts'
import { route } from '../http/route.ts'
import { backlog, questions } from '../http/services.ts'
import { languageProblems, notConfigured, toFailureProblem } from './language-work.ts'
import { openAiErrorBody } from './openai-problem.ts'
import { writeTranscript } from './transcript-formats.ts'
import { readTranscriptionForm } from './transcription-form.ts'

/** Maximum size of a form in bytes: a file of 25 MiB and the fields. */
const bodyLimit = 25 * 2 ** 20 + 64 * 1024

/** Time in milliseconds in which a client must send the complete form. */
const withinMs = 100_000

/** Size of a part in the database in bytes. */
const partBytes = 2 ** 20

const invalidAudio = problem(400, 'invalid_audio', 'The file is not audio that Millrace can read.')
const tooLong = problem(400, 'audio_too_long', 'The audio is longer than 30 minutes.')
const tooSlow = problem(408, 'request_timeout', 'The body took too long.')

export const create = route({
  method: 'POST',
  path: '/audio/transcriptions',
  beyondContract: true,
  summary: 'Transcribe audio (OpenAI format)',
  description:
    'Accepts `multipart/form-data` with `file` (up to 25 MiB and 30 minutes), `model` (ignored, the configured speech engine is used), `language`, `response_format` (`json`, `text`, `srt`, `vtt` or `verbose_json`) and `timestamp_granularities[]`. Uses the speech engine of captions. A second of audio costs 10 tokens.',
  scope: 'ai:invoke',
  raw: true,
  // A form is held in memory until it is stored.
  atOnce: { requests: 6, ofOne: 3 },
  bodyLimit,
  status: 200,
  problemBody: openAiErrorBody,
  problems: [
    ...['bad_request' as const, 'payload_too_large' as const, 'unsupported_media_type' as const],
    ...[...languageProblems, noAnswerInTime, invalidAudio, tooLong, tooSlow],
  ],
  async handle({ org, key, plan, db, ctx, signal, services }) {
    await requireTokens(db, org.id)
    await requireKeyUse(db, key.id, 'transcription')
    const boundary = readBoundary(ctx.get('content-type'))
    const engine = await getSpeechEngine(db)
    const form = readTranscriptionForm(await readForm(await readWithin(ctx, withinMs, bodyLimit), boundary), engine)
    using place = await services(backlog).admit({ org, plan }, transcribeAudio.pool)
    if (place.refusal) throw place.refusal
    const id = newId()
    try {
      await store(db, { id, orgId: org.id, file: form.file })
      const payload = { orgId: org.id, keyId: key.id, audioId: id, language: form.language }
      const about = { orgId: org.id, timeout: completionTimeoutMs + 5_000, signal, forgotten: true }
      const outcome = await services(questions).ask(transcribeAudio, payload, about)
      if ('fault' in outcome) throw toProblem(outcome.fault)
      if ('failure' in outcome) throw await toFailureProblem(db, org.id, outcome.failure)
      const { type, text } = writeTranscript(outcome.answer, form.format, form.granularities)
      ctx.type = type
      ctx.body = text
    } finally {
      await audio.remove(db, id)
    }
  },
})

async function store(
  db: DatabasePool,
  { id, orgId, file }: { id: string; orgId: string; file: Buffer },
): Promise<void> {
  for (let n = 0; n * partBytes < file.length; n++) {
    const data = file.subarray(n * partBytes, (n + 1) * partBytes)
    await audio.addPart(db, { id, n, org_id: orgId, data })
  }
}

function toProblem({ code, message }: AudioFault) {
  if (code === 'not_configured') return notConfigured(message)
  return code === 'audio_too_long' ? tooLong(message, { param: 'file' }) : invalidAudio(message, { param: 'file' })
}
