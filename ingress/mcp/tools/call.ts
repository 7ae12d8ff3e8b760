import { Problem } from '#lib/errors.ts'
import type { Json } from '../../http/openapi/schemas.ts'
import type { FrontDoor } from '../../http/services.ts'
import { enter, type MessageSender } from '../front-door.ts'
import { toolCalls } from '../metrics.ts'
import type { ListedTool } from './list.ts'
import { toRequest } from './request.ts'
import { invalidArguments, type ToolResult, toResult } from './result.ts'

/** Calls the operation of a tool. Errors of the operation are results. Throws if the client disconnects. */
export async function callTool(
  door: FrontDoor,
  from: MessageSender,
  tool: ListedTool,
  given: Json,
): Promise<ToolResult> {
  const request = toRequest(tool, given)
  const result = Array.isArray(request) ? invalidArguments(request) : await answer(door, from, tool, request)
  toolCalls.inc({ tool: tool.facts.name, outcome: result.isError ? 'error' : 'done' })
  return result
}

async function answer(
  door: FrontDoor,
  from: MessageSender,
  { input }: ListedTool,
  request: Exclude<ReturnType<typeof toRequest>, unknown[]>,
): Promise<ToolResult> {
  try {
    return toResult(await enter(door, from, request), input.places.get('limit') === 'query')
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, code, message, details } = error
    const text = JSON.stringify({ error: { code, message, details } })
    return toResult({ status, type: 'application/json', text, retryAfter: undefined }, false)
  }
}
