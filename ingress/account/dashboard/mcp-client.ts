import { publicUrl } from '#lib/config.ts'
import { docsHref } from '../../http/hosts.ts'
import { copyableCode } from '../../http/html/copyable-code.ts'
import { type Html, html } from '../../http/html/html.ts'

const placeholder = 'YOUR_API_KEY'

/** Renders the configuration of an MCP client that uses a key. Without `secret`, it contains a placeholder. */
export function mcpClient(keyName: string, secret?: string): Html {
  const headers = { Authorization: `Bearer ${secret ?? placeholder}` }
  const millrace = { type: 'http', url: `${publicUrl()}/mcp`, headers }
  const code = JSON.stringify({ mcpServers: { millrace } }, undefined, 2)
  const step = secret === undefined && html`Replace <code>${placeholder}</code> with the secret of ${keyName}. `
  return html`<details class="api-call"><summary>Configuration of an MCP client</summary>
${copyableCode(code, 'json', 'the configuration')}
<p class="hint">${step}The client can use the tools that the scopes of this key allow. <a href="${docsHref}/guides/mcp">Guide: MCP server</a></p></details>`
}
