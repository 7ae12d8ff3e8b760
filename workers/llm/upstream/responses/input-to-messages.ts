import { demandKnown, untranslatable, withoutUnset } from '../translation.ts'
import type { InputItem, InputPart, ResponsesRequest } from './request.ts'

interface Message {
  role: string
  content: unknown
  tool_calls?: object[]
}

/** Translates input items to chat messages. Calls of one turn become one message of the assistant. */
export function inputToMessages(input: ResponsesRequest['input']): Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const messages: Message[] = []
  for (const [at, item] of input.entries()) {
    const path = `input.${at}`
    const last = messages.at(-1)
    if (item.type !== 'function_call') messages.push(messageOf(item, path))
    else if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), callOf(item)]
    else messages.push({ role: 'assistant', content: null, tool_calls: [callOf(item)] })
  }
  return messages
}

const callOf = ({ call_id, name, arguments: given }: InputItem): object => ({
  id: call_id,
  type: 'function',
  function: { name, arguments: given },
})

function messageOf(item: InputItem, path: string): Message {
  const { type = 'message', role = 'user', content = [], call_id, output = '' } = item
  if (type === 'function_call_output') {
    return { role: 'tool', content: textsOf(output, `${path}.output`), ...{ tool_call_id: call_id } }
  }
  if (type !== 'message') throw untranslatable(`${path}.type`)
  if (typeof content === 'string') return { role, content }
  if (role === 'assistant') return fromAssistant(content, `${path}.content`)
  const parts = content.map((part, at) => partOf(part, `${path}.content.${at}`))
  return { role, content: parts }
}

function fromAssistant(parts: readonly InputPart[], path: string): Message {
  const content: object[] = []
  for (const [at, { type, text, refusal }] of parts.entries()) {
    if (type === 'output_text' || type === 'input_text') content.push({ type: 'text', text })
    else if (type === 'refusal') content.push({ type, refusal })
    else throw untranslatable(`${path}.${at}.type`)
  }
  // Many servers accept only a string here.
  const texts = parts.map(({ text }) => text)
  return { role: 'assistant', content: texts.includes(undefined) ? content : texts.join('') }
}

function textsOf(output: string | readonly InputPart[], path: string): unknown {
  if (typeof output === 'string') return output
  return output.map((part, at) => {
    if (part.type !== 'input_text') throw untranslatable(`${path}.${at}.type`)
    return { type: 'text', text: part.text }
  })
}

function partOf(part: InputPart, path: string): object {
  const { type, text, image_url: url, detail, file_data, filename } = part
  if (type === 'input_text') return { type: 'text', text }
  if (type === 'input_image') return { type: 'image_url', image_url: withoutUnset({ url, detail }) }
  if (type !== 'input_file') throw untranslatable(`${path}.type`)
  demandKnown(part, ['type', 'file_data', 'filename'], path)
  return { type: 'file', file: withoutUnset({ file_data, filename }) }
}
