import type { TellPiece } from '#tasks/ai/rules/gateway.ts'
import type { AnswerEvents } from '../translated-stream.ts'
import { createMessage, type MessageFacts, stopOf, usageOf } from './message-object.ts'

/** Writes the events of the Messages API. Each block ends before the next one starts. */
export function createMessageEvents(facts: MessageFacts, tell: TellPiece): AnswerEvents {
  let open: 'text' | 'tool_use' | undefined
  let index = 0
  let isRefusal = false

  async function endBlock(): Promise<void> {
    if (!open) return
    await tell({ type: 'content_block_stop', index })
    open = undefined
    index++
  }

  async function startBlock(kind: NonNullable<typeof open>, content_block: object): Promise<void> {
    await endBlock()
    open = kind
    await tell({ type: 'content_block_start', index, content_block })
  }

  async function write(text: string): Promise<void> {
    if (open !== 'text') await startBlock('text', { type: 'text', text: '', citations: null })
    await tell({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })
  }

  async function writeArguments(partial_json: string): Promise<void> {
    if (open !== 'tool_use' || partial_json === '') return
    await tell({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } })
  }

  return {
    start: () => tell({ type: 'message_start', message: createMessage(facts, []) }),
    text: write,
    async refusal(text) {
      isRefusal = true
      await write(text)
    },
    async call({ id, function: asked }) {
      await startBlock('tool_use', { type: 'tool_use', id, name: asked.name, input: {} })
      await writeArguments(asked.arguments)
    },
    callArguments: writeArguments,
    async end(end) {
      await endBlock()
      const delta = stopOf(isRefusal ? { ...end, reason: 'content_filter' } : end)
      await tell({ type: 'message_delta', delta, usage: usageOf(end.usage) })
      await tell({ type: 'message_stop' })
    },
  }
}
