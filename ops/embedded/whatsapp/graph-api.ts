import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { chatMessageOf } from './chat-content.ts'
import type { Chats } from './chats.ts'
import type { Hooks } from './hooks.ts'
import { sandboxAccountId, sandboxPhoneNumberId } from './number.ts'
import { SentMessage, SentTemplate } from './sent-message.ts'
import { templates, variablesIn } from './templates.ts'

export interface GraphRequest {
  method: string
  /** Below the version. */
  path: string
  query: URLSearchParams
  authorization: string | undefined
  body: unknown
}

/** An answer in JSON. */
export interface GraphAnswer {
  status: number
  body: unknown
}

/** What the Graph API answers with an error. */
export class GraphError extends Error {
  readonly status: number
  readonly code: number
  readonly details: string

  constructor(status: number, code: number, message: string, details = '') {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Makes the two endpoints of the Cloud API that Millrace uses. */
export function createGraphApi({ chats, hooks, accessToken }: { chats: Chats; hooks: Hooks; accessToken: string }) {
  function send(given: unknown): unknown {
    const { sent, content } = parsed(given)
    const template = sent.type === 'template' ? checked(content) : undefined
    const waId = sent.to.replace(/^\+/, '')
    const chat = chats.open(waId)
    const message = chatMessageOf(sent, `wamid.${randomBytes(30).toString('base64')}`, template)
    const reaction = sent.type === 'reaction' ? Reaction.parse(content) : undefined
    if (template === undefined && !chats.isOpen(chat)) {
      // As the real one does it: the request is taken, and the failure comes by webhook.
      hooks.status(chat, message, 'failed', 131047)
    } else {
      if (reaction) chats.react(chat, reaction.message_id, reaction.emoji)
      else chats.add(chat, { ...message, status: 'delivered' })
      hooks.status(chat, message, 'sent')
      hooks.status(chat, message, 'delivered')
    }
    chats.changed()
    return {
      messaging_product: 'whatsapp',
      contacts: [{ input: sent.to, wa_id: waId }],
      messages: [{ id: message.id }],
    }
  }

  function route({ method, path, query, body }: GraphRequest): unknown {
    if (method === 'POST' && path === `${sandboxPhoneNumberId}/messages`) return send(body)
    if (method === 'GET' && path === `${sandboxAccountId}/message_templates`) return page(query)
    throw new GraphError(400, 100, 'Unsupported request', `${method} ${path}`)
  }

  return function answer(request: GraphRequest): GraphAnswer {
    try {
      if (request.authorization !== `Bearer ${accessToken}`)
        throw new GraphError(401, 190, 'Invalid OAuth access token')
      return { status: 200, body: route(request) }
    } catch (error) {
      if (!(error instanceof GraphError)) throw error
      const { status, code, message, details } = error
      const facts = { message: `(#${code}) ${message}`, type: 'OAuthException', code, error_data: { details } }
      return { status, body: { error: { ...facts, fbtrace_id: randomBytes(8).toString('hex') } } }
    }
  }
}

const Reaction = z.object({ message_id: z.string(), emoji: z.string() })

/** A message with the part that bears the name of its type. */
function parsed(given: unknown): { sent: SentMessage; content: object } {
  const { success, data: sent, error } = SentMessage.safeParse(given)
  if (!success) throw new GraphError(400, 100, 'Invalid parameter', z.prettifyError(error))
  const content = sent[sent.type]
  if (typeof content === 'object' && content !== null) return { sent, content }
  throw new GraphError(400, 131009, 'Parameter value is not valid', `Parameter ${sent.type} is missing`)
}

function page(query: URLSearchParams): unknown {
  const limit = Math.min(100, Math.max(1, Number(query.get('limit')) || 25))
  const from = Number(query.get('after')) || 0
  const after = String(from + limit)
  const more = templates.length > from + limit
  return {
    data: templates.slice(from, from + limit),
    paging: { cursors: { after }, ...(more && { next: `?after=${after}` }) },
  }
}

/** The template that is meant, with parameters that fit it. */
function checked(content: unknown): SentTemplate {
  const parsed = SentTemplate.safeParse(content)
  if (!parsed.success) throw new GraphError(400, 131009, 'Parameter value is not valid', z.prettifyError(parsed.error))
  const { name, language, components } = parsed.data
  const known = templates.find((one) => one.name === name && one.language === language.code)
  if (!known) throw new GraphError(404, 132001, 'Template name does not exist in the translation')
  if (known.status === 'PAUSED') throw new GraphError(400, 132015, 'Template is paused')
  for (const type of ['HEADER', 'BODY']) {
    const wanted = variablesIn(known.components.find((one) => one.type === type)?.text).length
    const given = components.filter((one) => one.type.toUpperCase() === type).flatMap(({ parameters }) => parameters)
    if (wanted !== given.length)
      throw new GraphError(400, 132000, 'Number of parameters does not match', `${type}: ${given.length} of ${wanted}`)
  }
  return parsed.data
}
