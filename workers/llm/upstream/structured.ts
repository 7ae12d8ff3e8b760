import { z } from 'zod'
import type { TokenUsage } from '#tasks/ai/engine.ts'
import { addUsage } from '../token-usage.ts'
import type { Prompt, Upstream } from './client.ts'
import type { ModelReply } from './completion.ts'
import { malformedError } from './faults.ts'

export interface StructuredReply<Value> {
  value: Value | null
  finish_reason: ModelReply['finish_reason']
  usage: TokenUsage
}

/** Maximum number of `{` that are tried as the start of an object. */
const mostBegins = 20
/** Maximum number of characters of an invalid answer that the model sees for the repair. */
const shown = 8_000

/**
 * Requests a JSON object that matches `schema` and passes `complaint`. The schema is also in the prompt, because some
 * servers ignore `response_format`. An invalid object is returned to the model once, with its faults.
 */
export async function requestStructured<Value>(
  upstream: Upstream,
  schema: z.ZodType<Value>,
  prompt: Prompt,
  signal: AbortSignal,
  complaint: (value: Value) => string | undefined = () => undefined,
): Promise<StructuredReply<Value>> {
  const jsonSchema = z.toJSONSchema(schema) as Record<string, unknown>
  const rule = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${JSON.stringify(jsonSchema)}`
  const asked: Prompt = {
    ...prompt,
    messages: [{ role: 'system', content: rule }, ...prompt.messages],
    responseFormat: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: jsonSchema } },
  }
  const first = await upstream.complete(asked, signal)
  if (first.refused) return { value: null, ...first }
  const read = readAs(schema, first.content)
  const wrong = 'wrong' in read ? read.wrong : complaint(read.value)
  if ('value' in read && wrong === undefined) return { ...first, ...read }
  const again = await upstream.complete(
    {
      ...asked,
      messages: [
        ...asked.messages,
        { role: 'assistant', content: first.content.slice(0, shown) },
        { role: 'user', content: `That does not do: ${wrong}. ${rule}` },
      ],
    },
    signal,
  )
  const usage = addUsage(first.usage, again.usage)
  if (again.refused) return { value: null, finish_reason: again.finish_reason, usage }
  const repaired = readAs(schema, again.content)
  // The caller decides what to do with a valid object that has a complaint.
  if ('value' in repaired) return { value: repaired.value, finish_reason: again.finish_reason, usage }
  throw malformedError(usage)
}

function readAs<Value>(schema: z.ZodType<Value>, content: string): { value: Value } | { wrong: string } {
  let wrong = 'there is no JSON object in it'
  let begin = content.indexOf('{')
  for (let tried = 0; begin >= 0 && tried < mostBegins; tried++) {
    const end = endOfObject(content, begin)
    const object = end === undefined ? undefined : parsed(content.slice(begin, end))
    if (object !== undefined) {
      const fits = schema.safeParse(object)
      if (fits.success) return { value: fits.data }
      wrong = z.prettifyError(fits.error)
    }
    begin = content.indexOf('{', object === undefined ? begin + 1 : end)
  }
  return { wrong }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const marks = /"(?:\\.|[^"\\])*"?|[{}]/gsu

function endOfObject(text: string, begin: number): number | undefined {
  let depth = 0
  marks.lastIndex = begin
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '{') depth++
    else if (mark[0] === '}') depth--
    if (depth === 0) return marks.lastIndex
  }
  return undefined
}
