import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'

export interface InputPart {
  type: string
  text?: string
  refusal?: string
  image_url?: string | null
  detail?: string | null
  file_data?: string
  filename?: string | null
}

/** An item of the input. `type` is missing in short messages. */
export interface InputItem {
  type?: string
  role?: string
  content?: string | InputPart[]
  call_id?: string
  name?: string
  arguments?: string
  output?: string | InputPart[]
}

interface FunctionTool {
  type: string
  name: string
  description?: string | null
  parameters?: object | null
  strict?: boolean | null
}

/** A request of OpenAI's Responses API, as the ingress accepts it. */
export interface ResponsesRequest extends CompletionRequest {
  input: string | InputItem[]
  instructions?: string | null
  tools?: FunctionTool[] | null
  tool_choice?: string | { type: string; name?: string; mode?: string; tools?: { type?: string; name?: string }[] }
  text?: { format?: { type: string; [field: string]: unknown } | null; verbosity?: string | null } | null
  reasoning?: { effort?: string | null; summary?: string | null; generate_summary?: string | null } | null
  metadata?: Record<string, string> | null
}
