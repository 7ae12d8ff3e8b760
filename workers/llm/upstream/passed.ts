import { z } from 'zod'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { newId } from '#lib/ids.ts'
import type { CompletionRequest, PassedCompletion } from '#tasks/ai/rules/gateway.ts'
import { removeBinaryParts } from '#tasks/ai/rules/without-bytes.ts'
import { estimateUsage } from '../token-usage.ts'
import { readUsage, Usage } from './completion.ts'
import { malformedError } from './faults.ts'

/** Contains only the fields that Millrace reads. Other fields are passed on unchanged. */
const Passed = z.looseObject({
  id: z.string().min(1).max(200).catch(''),
  created: z.int().min(0).catch(0),
  choices: z.array(z.looseObject({ message: z.looseObject({ role: z.string().catch('assistant') }) })).min(1),
})

export const getShownModel = ({ model }: CompletionRequest, real: string): string =>
  model === defaultModel ? real : model

export const getRequestText = (request: CompletionRequest): string => textOf(removeBinaryParts(request))

const textOf = ({ messages, input, system, instructions, tools, functions }: CompletionRequest): string =>
  JSON.stringify([messages ?? input, system ?? instructions, tools ?? functions ?? null])

/** Reads a complete answer in OpenAI's format and adds missing fields. */
export function readForwardedAnswer(raw: unknown, request: CompletionRequest, model: string): PassedCompletion {
  const { data } = Passed.safeParse(raw)
  if (!data) throw malformedError()
  const choices = data.choices.map((choice, index) => ({
    ...choice,
    index,
    finish_reason: typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop',
  }))
  const told = Usage.parse(data.usage)
  const usage = told ?? estimateUsage([getRequestText(request)], JSON.stringify(choices.map(({ message }) => message)))
  const completion = {
    ...data,
    id: data.id || `chatcmpl-${newId()}`,
    object: 'chat.completion',
    created: data.created || Math.floor(Date.now() / 1000),
    model: getShownModel(request, model),
    choices,
    usage: told ? readUsage(data.usage, told) : usage,
  }
  return { engine: 'upstream', model, usage, completion }
}
