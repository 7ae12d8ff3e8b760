import { command } from '../command.ts'
import { connect } from '../connection.ts'
import { exitStatus } from '../exit-status.ts'

export const mcp = command({
  name: 'mcp',
  summary: 'Serve the Model Context Protocol on standard input and output',
  details: 'Add this command to the configuration of your MCP client. The tools have the scopes of your key.',
  options: {},
  examples: ['millrace-cli mcp', 'millrace-cli mcp --profile production'],
  async run({ common, signal }) {
    const { url, key } = await connect(common)
    const { runStdioServer } = await import('../../mcp/index.ts')
    signal.addEventListener('abort', () => process.exit(exitStatus.done))
    await runStdioServer({ baseUrl: url, apiKey: key })
  },
})
