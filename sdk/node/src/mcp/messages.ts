/** A JSON-RPC message, or a list of messages. */
export type Message = Record<string, unknown>

export type MessageId = string | number

/** Codes of JSON-RPC 2.0 §5.1. */
export const [parseError, invalidRequest, internalError] = [-32700, -32600, -32603]

export const errorMessage = (id: MessageId | null, code: number, message: string): Message => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

export const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the ID of a request. Undefined for notifications and responses. */
export function requestId(message: unknown): MessageId | undefined {
  if (!isObject(message) || typeof message.method !== 'string') return undefined
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : undefined
}

const cancelled = 'notifications/cancelled'

/** Returns the ID of the request that a notification cancels. */
export function cancelledId(message: unknown): MessageId | undefined {
  if (!isObject(message) || message.method !== cancelled || !isObject(message.params)) return undefined
  const id = message.params.requestId
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

const versionField = 'io.modelcontextprotocol/protocolVersion'

/**
 * Returns the headers that repeat parts of a message. The protocol since 2026 requires them. Earlier versions send only
 * the version that `initialize` returned.
 */
export function headersOf(message: unknown, negotiated: string | undefined): Record<string, string> {
  const { method, params } = isObject(message) ? message : {}
  const { _meta: meta, name, uri } = isObject(params) ? params : {}
  const version = isObject(meta) ? meta[versionField] : undefined
  if (typeof version !== 'string')
    return negotiated === undefined || method === 'initialize' ? {} : { 'mcp-protocol-version': negotiated }
  const target = name ?? uri
  return {
    'mcp-protocol-version': headerText(version),
    ...(typeof method === 'string' && { 'mcp-method': headerText(method) }),
    ...(typeof target === 'string' && { 'mcp-name': headerText(target) }),
  }
}

/** Text that a header cannot contain is sent in base64, in the form of the protocol. */
function headerText(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`
}

/** Returns the protocol version in the response to `initialize`. */
export function negotiatedVersion(request: unknown, reply: unknown): string | undefined {
  if (!isObject(request) || request.method !== 'initialize' || !isObject(reply) || !isObject(reply.result))
    return undefined
  const { protocolVersion } = reply.result
  return typeof protocolVersion === 'string' ? protocolVersion : undefined
}
