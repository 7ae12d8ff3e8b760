import { area } from '../http/area.ts'
import * as messages from './messages.ts'
import { tools } from './tools/list.ts'

/**
 * Server of the Model Context Protocol. Terms:
 *
 * - tool: an operation that a language model can call
 * - message: one JSON-RPC request or notification of the protocol
 */
export const mcp = area({
  name: 'mcp',
  title: 'MCP server',
  description: 'Operations as tools for language models, through the Model Context Protocol.',
  base: '/mcp',
  services: [tools],
  routes: { messages },
})
