import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'

export interface Block {
  type: string
  text?: string
  id?: string
  name?: string
  input?: unknown
  tool_use_id?: string
  is_error?: boolean | null
  content?: string | Block[] | null
  source?: { type: string; media_type?: string; data?: string }
  title?: string | null
  cache_control?: unknown
}

export interface MessageTurn {
  role: 'user' | 'assistant'
  content: string | Block[]
}

interface ToolDefinition {
  type?: string | null
  name: string
  description?: string | null
  input_schema?: object
  strict?: boolean | null
}

/** A request of Anthropic's Messages API, as the ingress accepts it. */
export interface MessagesRequest extends CompletionRequest {
  messages: MessageTurn[]
  system?: string | Block[] | null
  tools?: ToolDefinition[] | null
  tool_choice?: { type: string; name?: string; disable_parallel_tool_use?: boolean | null } | null
  thinking?: { type: string } | null
  metadata?: { user_id?: string | null } | null
  output_config?: {
    effort?: string | null
    format?: { type: string; schema: object } | null
  } | null
}
