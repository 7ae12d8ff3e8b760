import type { TellPiece } from '#tasks/ai/rules/gateway.ts'
import type { AnswerEvents } from '../translated-stream.ts'
import type { ChatCall } from '../translation.ts'
import {
  createCallItem,
  createItemId,
  createMessageItem,
  createRefusalPart,
  createResponse,
  createTextPart,
  type OutputItem,
  type ResponseFacts,
} from './response-object.ts'

type PartKind = 'text' | 'refusal'

interface OpenMessage {
  id: string
  parts: { kind: PartKind; text: string }[]
}

const partOf = ({ kind, text }: OpenMessage['parts'][number]) =>
  kind === 'text' ? createTextPart(text) : createRefusalPart(text)

const eventsOfPart = { text: 'response.output_text', refusal: 'response.refusal' } as const

/** Writes the events of the Responses API. Each item ends before the next one starts. */
export function createResponseEvents(facts: ResponseFacts, tell: TellPiece): AnswerEvents {
  const output: OutputItem[] = []
  let message: OpenMessage | undefined
  let call: { id: string; call: ChatCall } | undefined
  let n = 0

  const emit = (type: string, more: object) => tell({ type, sequence_number: n++, ...more })
  const place = () => ({ output_index: output.length })
  const placeOfPart = ({ id, parts }: OpenMessage) => ({ item_id: id, ...place(), content_index: parts.length - 1 })

  async function endItem(item: OutputItem): Promise<void> {
    await emit('response.output_item.done', { ...place(), item })
    output.push(item)
  }

  async function endPart(of: OpenMessage): Promise<void> {
    const part = of.parts.at(-1)
    if (!part) return
    const whole = part.kind === 'text' ? { text: part.text, logprobs: [] } : { refusal: part.text }
    await emit(`${eventsOfPart[part.kind]}.done`, { ...placeOfPart(of), ...whole })
    await emit('response.content_part.done', { ...placeOfPart(of), part: partOf(part) })
  }

  async function endMessage(): Promise<void> {
    if (!message) return
    await endPart(message)
    await endItem(createMessageItem(message.id, 'completed', message.parts.map(partOf)))
    message = undefined
  }

  async function endCall(): Promise<void> {
    if (!call) return
    const about = { item_id: call.id, ...place(), name: call.call.function.name }
    await emit('response.function_call_arguments.done', { ...about, arguments: call.call.function.arguments })
    await endItem(createCallItem(call.id, 'completed', call.call))
    call = undefined
  }

  async function startMessage(): Promise<OpenMessage> {
    await endCall()
    const started: OpenMessage = { id: createItemId('msg'), parts: [] }
    await emit('response.output_item.added', {
      ...place(),
      item: createMessageItem(started.id, 'in_progress', []),
    })
    return started
  }

  async function write(kind: PartKind, text: string): Promise<void> {
    message ??= await startMessage()
    if (message.parts.at(-1)?.kind !== kind) {
      await endPart(message)
      message.parts.push({ kind, text: '' })
      await emit('response.content_part.added', { ...placeOfPart(message), part: partOf({ kind, text: '' }) })
    }
    const part = message.parts.at(-1)
    if (part) part.text += text
    const more = kind === 'text' ? { logprobs: [] } : {}
    await emit(`${eventsOfPart[kind]}.delta`, { ...placeOfPart(message), delta: text, ...more })
  }

  async function writeArguments(delta: string): Promise<void> {
    if (!call || delta === '') return
    call.call.function.arguments += delta
    await emit('response.function_call_arguments.delta', { item_id: call.id, ...place(), delta })
  }

  return {
    async start() {
      const response = createResponse(facts, [])
      await emit('response.created', { response })
      await emit('response.in_progress', { response })
    },
    text: (text) => write('text', text),
    refusal: (text) => write('refusal', text),
    async call(asked) {
      await endMessage()
      await endCall()
      call = { id: createItemId('fc'), call: { ...asked, function: { ...asked.function, arguments: '' } } }
      const item = createCallItem(call.id, 'in_progress', call.call)
      await emit('response.output_item.added', { ...place(), item })
      await writeArguments(asked.function.arguments)
    },
    callArguments: writeArguments,
    async end(end) {
      await endCall()
      if (output.length === 0) message ??= await startMessage()
      await endMessage()
      const isIncomplete = end.reason === 'length' || end.reason === 'content_filter'
      const response = createResponse(facts, output, end)
      await emit(isIncomplete ? 'response.incomplete' : 'response.completed', { response })
    },
  }
}
