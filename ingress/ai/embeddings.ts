import { setImmediate as breathe } from 'node:timers/promises'
import { z } from 'zod'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { badRequest, type Fault } from '#lib/errors.ts'
import { embed } from '#tasks/ai/embed.ts'
import { decodeVector } from '#tasks/ai/rules/digest.ts'
import { embeddedModel } from '#tasks/ai/rules/embedded-model.ts'
import { findEmbeddingModel, getEmbeddings } from '#tasks/ai/rules/embeddings-of.ts'
import { requireKeyUse } from '#tasks/ai/rules/require-key-use.ts'
import { requireTokens } from '#tasks/ai/rules/token-budget.ts'
import { PresentedJson } from '../http/presented.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import { Model } from './completion-fields.ts'
import { gatewayProblem, gatewayProblems } from './gateway-problems.ts'
import { tooLong } from './language-work.ts'
import { openAiErrorBody } from './openai-problem.ts'

/** Maximum number of inputs per request. 256 vectors of 1,536 numbers are 2 MB in base64. */
const mostInputs = 256

const mostTokens = 32_768

const Tokens = z.array(z.int().min(0).max(10_000_000)).min(1).max(mostTokens)
const Input = z
  .union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1).max(mostInputs),
    Tokens,
    z.array(Tokens).min(1).max(mostInputs),
  ])
  .describe('A text, a list of tokens, or a list of up to 256 texts or token lists')

export const create = route({
  method: 'POST',
  path: '/embeddings',
  beyondContract: true,
  summary: 'Create embeddings (OpenAI format)',
  description:
    'Works with OpenAI’s SDK if its base URL is `/v1/ai`. The model `use-lite-en` for English text is inside Millrace: it needs no upstream server and has 512 dimensions. Vectors are cached by model and text. A cached vector is returned immediately and costs nothing. Errors are the same as for `/v1/ai/chat/completions`.',
  scope: 'ai:invoke',
  enqueues: embed,
  body: z.strictObject({
    model: Model,
    input: Input,
    encoding_format: z.enum(['float', 'base64']).nullish().describe('`base64`: Float32 values, little-endian'),
    dimensions: z
      .int()
      .min(1)
      .max(16_384)
      .nullish()
      .describe('Number of dimensions, if the model supports a choice. `use-lite-en` always has 512.'),
    user: z.string().max(200).nullish().describe('Accepted for compatibility and ignored'),
  }),
  status: 200,
  reply: z.object({
    object: z.literal('list'),
    model: z.string(),
    language: z
      .string()
      .nullable()
      .describe(
        'Language of the model, such as `en`. Vectors of texts in other languages mean little. `null` if unknown.',
      ),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.string(), z.array(z.number())]),
      }),
    ),
    usage: z
      .object({ prompt_tokens: z.int(), total_tokens: z.int() })
      .describe('Token usage of texts that were not cached'),
  }),
  problemBody: openAiErrorBody,
  problems: gatewayProblems,
  async handle({ body, org, key, db, signal, services }) {
    await requireTokens(db, org.id)
    await requireKeyUse(db, key.id, 'embedding', body.model)
    const { model, input, encoding_format, dimensions } = body
    const request = { model, input: listInputs(input), ...(dimensions && { dimensions }) }
    const found = await findEmbeddingModel(db, model)
    if ('failure' in found) throw await gatewayProblem(db, org.id, found.failure)
    if (found.model.isEmbedded) requireEmbeddable(request)
    const about = { signal, keyId: key.id }
    const outcome = await getEmbeddings(db, services(questions).ask, org.id, found.model, request, about)
    if ('failure' in outcome) throw await gatewayProblem(db, org.id, outcome.failure)
    const { bytes, usage, model: real } = outcome.embedded
    const facts = {
      model: model === defaultModel ? real : model,
      language: found.model.isEmbedded ? embeddedModel.language : null,
      usage: { prompt_tokens: usage.prompt_tokens, total_tokens: usage.prompt_tokens },
    }
    if (encoding_format !== 'base64') return await presentAsNumbers(facts, bytes)
    const data = bytes.map((vector, index) => ({
      object: 'embedding' as const,
      index,
      embedding: vector.toString('base64'),
    }))
    return { object: 'list', ...facts, data }
  },
})

/** Throws 400 if the embedded model cannot process a request. */
function requireEmbeddable({
  input,
  dimensions,
}: {
  input: readonly (string | number[])[]
  dimensions?: number
}): void {
  const { name, dimensions: own, mostCharacters, mostCharactersInTotal } = embeddedModel
  const faults: Fault[] = []
  if (dimensions !== undefined && dimensions !== own)
    faults.push({ field: 'body.dimensions', issue: `must be ${own} or omitted: ${name} has no other dimensions` })
  const texts = input.filter((one) => typeof one === 'string')
  if (texts.length < input.length)
    faults.push({ field: 'body.input', issue: `must be text: ${name} does not accept tokens of other models` })
  if (faults.length > 0) throw badRequest(faults)
  const longest = Math.max(...texts.map(({ length }) => length))
  const total = texts.reduce((sum, { length }) => sum + length, 0)
  if (longest > mostCharacters)
    throw tooLong(`A text has ${longest} characters. ${name} accepts up to ${mostCharacters} per text.`)
  if (total > mostCharactersInTotal)
    throw tooLong(`The texts have ${total} characters. ${name} accepts up to ${mostCharactersInTotal} per request.`)
}

/**
 * Returns the vectors as numbers. Lets other requests run after each vector, because 256 vectors of 3,072 numbers take
 * half a second.
 */
async function presentAsNumbers(facts: object, bytes: readonly Buffer[]): Promise<PresentedJson> {
  const data: string[] = []
  for (const [index, vector] of bytes.entries()) {
    data.push(JSON.stringify({ object: 'embedding', index, embedding: Array.from(decodeVector(vector)) }))
    await breathe()
  }
  return new PresentedJson(`{"object":"list","data":[${data.join()}],${JSON.stringify(facts).slice(1)}`)
}

function listInputs(input: z.output<typeof Input>): (string | number[])[] {
  const all: (string | number | number[])[] = typeof input === 'string' ? [input] : [...input]
  const tokens = all.filter((one) => typeof one === 'number')
  return tokens.length > 0 ? [tokens] : all.filter((one) => typeof one !== 'number')
}
