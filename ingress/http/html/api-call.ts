import { publicUrl } from '#lib/config.ts'
import { buildSnippets, type CallValues } from '../../../sdk/generate/snippets.ts'
import type { Services } from '../container.ts'
import { docsHref } from '../hosts.ts'
import { apiMethods } from '../openapi/methods.ts'
import { type ClientCall, callTabs } from './call-tabs.ts'
import { copyableCode } from './copyable-code.ts'
import { type Content, type Html, html } from './html.ts'

interface ApiCallOptions {
  /** Label of the block. Default: "API: " and the summary of the operation. */
  title?: Content
  /** True to show the call without a click. Default: false. */
  open?: boolean
}

/**
 * Renders a call of the API in curl and in each client, as tabs in a collapsed block. `operation` is its ID. For example,
 * `bots.chat.create`. Values that are not given are placeholders or samples. Returns undefined if this process does not
 * have the operation.
 */
export function apiCall(
  services: Services,
  operation: string,
  values: CallValues = {},
  { title, open = false }: ApiCallOptions = {},
): Html | undefined {
  const methods = services(apiMethods)
  const method = methods.find(operation)
  if (!method) return undefined
  const group = operation.replaceAll('.', '-')
  const calls = buildSnippets(method, methods.components(), values).map(({ label, source }): ClientCall => {
    const client = label as ClientCall['label']
    return { label: client, code: complete(client, source) }
  })
  const [area, ...name] = operation.split('.')
  return html`<details class="api-call"${open && html` open`}><summary>${title ?? `API: ${method.summary}`}</summary>
<div class="calls">${callTabs(calls, group, (code, language, label) => copyableCode(code, language, `the ${label} call`))}</div>
<p class="hint">${!method.open && html`<code>MILLRACE_API_KEY</code> is an <a href="/app/keys">API key</a> of your organisation. `}<a href="${docsHref}/reference/${area}/${name.join('.')}">Reference: ${method.summary}</a></p></details>`
}

/** Adds the URL of this Millrace to a call, so that the call runs as it is. */
function complete(client: ClientCall['label'], source: string): string {
  const url = publicUrl()
  const starts: Record<Exclude<ClientCall['label'], 'curl'>, string> = {
    Node: `import { Millrace } from 'millrace'\n\nconst millrace = new Millrace({ baseUrl: '${url}' })\n`,
    Python: `from millrace import Millrace\n\nmillrace = Millrace(base_url="${url}")\n`,
    PHP: `$millrace = new Millrace\\Client('${url}');\n`,
    Go: `client, err := millrace.New(millrace.WithBaseURL("${url}"))\n`,
  }
  return client === 'curl' ? source.replace('$MILLRACE_BASE_URL', url) : starts[client] + source
}
