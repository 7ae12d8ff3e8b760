import { counter } from '#lib/telemetry/metrics.ts'

export const toolCalls = counter('millrace_mcp_calls_total', 'Calls of tools of the MCP server, by tool and outcome.', [
  'tool',
  'outcome',
])
