import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import type { SpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'
import { parseWithFaults } from '../http/request/issues.ts'
import { checkText } from '../http/request/json.ts'
import type { FormPart } from '../http/request/multipart-form.ts'
import { transcriptFormats } from './transcript-formats.ts'

const rejected = (reason: string) => z.undefined(reason).optional()

const Granularity = z.enum(['word', 'segment'])

/** Fields of OpenAI's reference. Fields that the engine cannot use are rejected with a reason. */
const Fields = z
  .strictObject({
    model: z.string().min(1).max(200),
    language: z.string().min(1).max(35).optional(),
    response_format: z.enum(transcriptFormats).default('json'),
    'timestamp_granularities[]': z.array(Granularity).max(2).optional(),
    temperature: z.literal('0', 'must be 0: the speech engine always returns its most likely words').optional(),
    stream: z.literal('false', 'must be false: transcriptions are not streamed').optional(),
    chunking_strategy: z.literal('auto').optional(),
    prompt: rejected('cannot be set: the speech engine accepts no prompt'),
    'include[]': rejected('cannot be set: the speech engine returns no additional values'),
  })
  .check(({ value, issues }) => {
    const granularities = value['timestamp_granularities[]']
    if (!granularities || value.response_format === 'verbose_json') return
    const message = 'must be used together with `response_format: verbose_json`'
    issues.push({ code: 'custom', path: ['timestamp_granularities[]'], input: granularities, message })
  })

export interface TranscriptionForm {
  file: Buffer
  /** `null` to detect the language. */
  language: string | null
  format: z.output<typeof Fields>['response_format']
  granularities: z.output<typeof Granularity>[]
}

/** Reads the form of a transcription. Throws 400 with all invalid fields. */
export function readTranscriptionForm(parts: readonly FormPart[], engine: SpeechEngine): TranscriptionForm {
  const faults: Fault[] = []
  const fault = (name: string, issue: string) => faults.push({ field: `body.${name}`, issue })
  const [file, ...otherFiles] = parts.filter(({ name }) => name === 'file')
  if (!file) fault('file', 'is required')
  else if (otherFiles.length > 0) fault('file', 'must be one file')
  else if (file.data.length === 0) fault('file', 'must not be empty')
  const given = toFields(parts, fault)
  checkText(given, 'body', faults)
  const fields = parseWithFaults(Fields, given, 'body', faults) as z.output<typeof Fields> | undefined
  const language = fields && languageOf(fields.language, engine)
  if (language === undefined && fields) fault('language', languageIssue(engine))
  if (faults.length > 0 || !file || !fields || language === undefined) throw badRequest(faults)
  const granularities = fields['timestamp_granularities[]'] ?? ['segment']
  return { file: file.data, language, format: fields.response_format, granularities }
}

/** Maximum size of a field in bytes. */
const mostBytes = 4_096

function toFields(parts: readonly FormPart[], fault: (name: string, issue: string) => void): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null)
  for (const { name, filename, data } of parts) {
    if (name === 'file') continue
    const known = nameOf(name)
    const text = data.toString('utf8', 0, mostBytes)
    if (filename !== null) fault(known, 'must not be a file')
    else if (data.length > mostBytes) fault(known, `must be at most ${mostBytes} bytes`)
    else if (known.endsWith('[]')) fields[known] = [...((fields[known] as string[] | undefined) ?? []), text]
    else if (known in fields) fault(known, 'must be set once')
    else fields[known] = text
  }
  return fields
}

/** Clients write lists as `name`, `name[]` or `name[0]`. */
function nameOf(name: string): string {
  const plain = name.replace(/\[\d{0,3}\]$/, '')
  return plain === 'timestamp_granularities' || plain === 'include' ? `${plain}[]` : name
}

/** Returns undefined if the engine does not accept the language. Without a language, the engine detects it. */
function languageOf(given: string | undefined, engine: SpeechEngine): string | null | undefined {
  const [only, ...others] = engine.languages
  if (given !== undefined) return engine.languages.find((one) => one.toLowerCase() === given.toLowerCase())
  if (engine.detects) return null
  return others.length === 0 ? only : undefined
}

const languageIssue = ({ languages }: SpeechEngine): string =>
  languages.length === 0
    ? 'cannot be transcribed, because the speech engine has no languages'
    : `must be one of ${languages.map((language) => `\`${language}\``).join(', ')}`
