import { demandKnown, untranslatable, withoutUnset } from '../translation.ts'
import type { Block, MessageTurn } from './request.ts'

/** Removes the mark of a text that a server can cache. It changes the price only. */
export function withoutCacheControl<B extends object>(block: B): Omit<B, 'cache_control'> {
  const { cache_control: _, ...rest } = block as B & { cache_control?: unknown }
  return rest
}

/** Translates turns to chat messages. A result of a tool becomes a message of its own. */
export function turnsToMessages(turns: readonly MessageTurn[]): object[] {
  // Chat completions start a new answer instead of continuing this text.
  if (turns.at(-1)?.role === 'assistant') throw untranslatable(`messages.${turns.length - 1}.role`)
  return turns.flatMap(({ role, content }, at) => {
    const path = `messages.${at}.content`
    if (typeof content === 'string') return [{ role, content }]
    return role === 'user' ? fromUser(content, path) : [fromAssistant(content, path)]
  })
}

function fromUser(blocks: readonly Block[], path: string): object[] {
  const results: object[] = []
  const parts: object[] = []
  for (const [at, block] of blocks.entries()) {
    const place = `${path}.${at}`
    if (block.type !== 'tool_result') parts.push(partOf(block, place))
    else if (parts.length > 0) throw untranslatable(place)
    else results.push(resultOf(block, place))
  }
  return parts.length > 0 ? [...results, { role: 'user', content: parts }] : results
}

function resultOf(block: Block, path: string): object {
  const { tool_use_id: tool_call_id, content, is_error } = block
  demandKnown(withoutCacheControl(block), ['type', 'tool_use_id', 'content', 'is_error'], path)
  const text = typeof content === 'string' ? content : textOf(content ?? [], `${path}.content`)
  return { role: 'tool', tool_call_id, content: is_error ? `Error: ${text}` : text }
}

const textOf = (blocks: readonly Block[], path: string): string =>
  blocks.map((block, at) => demandText(block, `${path}.${at}`)).join('\n')

function demandText(block: Block, path: string): string {
  if (block.type !== 'text') throw untranslatable(`${path}.type`)
  demandKnown(withoutCacheControl(block), ['type', 'text'], path)
  return block.text ?? ''
}

function fromAssistant(blocks: readonly Block[], path: string): object {
  const texts: string[] = []
  const calls: object[] = []
  for (const [at, block] of blocks.entries()) {
    const place = `${path}.${at}`
    if (block.type !== 'tool_use' && calls.length > 0) throw untranslatable(place)
    if (block.type === 'tool_use') calls.push(callOf(block, place))
    else texts.push(demandText({ ...block, ...noCitations(block) }, place))
  }
  const content = texts.length > 0 ? texts.join('') : null
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }
}

/** Answers contain `citations: null`, and clients send it back. */
const noCitations = (block: Block): object => ('citations' in block && !block.citations ? { citations: undefined } : {})

function callOf(block: Block, path: string): object {
  const { id, name, input } = block
  demandKnown(withoutCacheControl(block), ['type', 'id', 'name', 'input'], path)
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
}

function partOf(block: Block, path: string): object {
  const { type, source, title } = block
  if (type === 'text') return { type, text: demandText(block, path) }
  if (source?.type !== 'base64') throw untranslatable(`${path}.${source ? 'source' : 'type'}`)
  const data = `data:${source.media_type};base64,${source.data}`
  demandKnown(withoutCacheControl(block), ['type', 'source', 'title'], path)
  if (type === 'image') return { type: 'image_url', image_url: { url: data } }
  if (type !== 'document') throw untranslatable(`${path}.type`)
  return { type: 'file', file: withoutUnset({ file_data: data, filename: title ?? 'document.pdf' }) }
}
