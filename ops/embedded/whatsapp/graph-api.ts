import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { chatMessageOf } from './chat-content.ts'
import type { Chats } from './chats.ts'
import type { Hooks } from './hooks.ts'
import {
  displayNumber,
  ownAccountId,
  ownDisplayNumber,
  ownPhoneNumberId,
  sandboxAccountId,
  sandboxPhoneNumberId,
} from './number.ts'
import type { OwnNumber } from './own-number.ts'
import { SentMessage, SentTemplate } from './sent-message.ts'
import { type SandboxTemplate, templates, variablesIn } from './templates.ts'

export interface GraphRequest {
  method: string
  path: string
  query: URLSearchParams
  authorization: string | undefined
  body: unknown
}

export interface GraphAnswer {
  status: number
  body: unknown
}

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

interface GraphParts {
  chats: Chats
  hooks: Hooks
  own: OwnNumber
  accessToken: string
  appSecret: string
}

export function createGraphApi({ chats, hooks, own, accessToken, appSecret }: GraphParts) {
  const accounts: Readonly<Record<string, { number: string; shown: string; templates(): readonly SandboxTemplate[] }>> =
    {
      [sandboxAccountId]: { number: sandboxPhoneNumberId, shown: displayNumber, templates: () => templates },
      [ownAccountId]: { number: ownPhoneNumberId, shown: ownDisplayNumber, templates: () => own.templates() },
    }
  const accountOf = (number: string) => Object.values(accounts).find((one) => one.number === number)

  function send(number: string, given: unknown): unknown {
    const { sent, content } = parsed(given)
    const known = accountOf(number)?.templates() ?? []
    const template = sent.type === 'template' ? checked(content, known) : undefined
    const waId = sent.to.replace(/^\+/, '')
    const chat = chats.open(waId)
    chat.number = number
    const message = chatMessageOf(sent, `wamid.${randomBytes(30).toString('base64')}`, template, known)
    const reaction = sent.type === 'reaction' ? Reaction.parse(content) : undefined
    if (template === undefined && !chats.isOpen(chat)) {
      // As in the real API, the request is accepted and the failure is sent by webhook.
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
    const [first = '', second = ''] = path.split('/')
    const asked = `${method} ${second}`
    const answer = accountOf(first) ? ofNumber(first, asked, body) : ofAccount(first, asked, query, body)
    if (answer === undefined) throw new GraphError(400, 100, 'Unsupported request', `${method} ${path}`)
    return answer
  }

  function ofNumber(id: string, asked: string, body: unknown): unknown {
    if (asked === 'POST messages') return send(id, body)
    if (asked === 'POST media') return { id: `5${randomBytes(6).readUIntBE(0, 6)}` }
    const facts = { id, display_phone_number: accountOf(id)?.shown, verified_name: 'WhatsApp sandbox' }
    return asked === 'GET ' ? facts : undefined
  }

  function ofAccount(id: string, asked: string, query: URLSearchParams, body: unknown): unknown {
    const account = accounts[id]
    if (!account) return undefined
    if (asked === 'GET phone_numbers') return { data: [{ id: account.number }] }
    if (asked === 'GET message_templates') return page(query, account.templates())
    return id === ownAccountId ? changeOwn(asked, query, body) : undefined
  }

  function changeOwn(asked: string, query: URLSearchParams, body: unknown): unknown {
    if (asked === 'POST subscribed_apps') {
      const { override_callback_uri: url, verify_token: verifyToken } = Subscription.parse(body)
      own.subscribe({ url, verifyToken })
      return { success: true }
    }
    if (asked === 'POST message_templates') {
      const form = NewTemplate.parse(body)
      const isTaken = own.templates().some(({ name, language }) => name === form.name && language === form.language)
      if (isTaken) throw new GraphError(400, 100, 'Invalid parameter', 'Content in this language already exists')
      const { id, status, category } = own.add(form, (approved) => hooks.reviewed(approved))
      return { id, status, category }
    }
    const isRemoved = asked === 'DELETE message_templates' && own.remove(query.get('hsm_id') ?? '')
    return isRemoved ? { success: true } : undefined
  }

  const isProved = (proof: string | null) =>
    proof === null || proof === createHmac('sha256', appSecret).update(accessToken).digest('hex')

  return function answer(request: GraphRequest): GraphAnswer {
    try {
      if (request.authorization !== `Bearer ${accessToken}`)
        throw new GraphError(401, 190, 'Invalid OAuth access token')
      if (!isProved(request.query.get('appsecret_proof')))
        throw new GraphError(400, 100, 'Invalid appsecret_proof provided in the API argument')
      return { status: 200, body: route(request) }
    } catch (error) {
      if (!(error instanceof GraphError)) throw error
      const { status, code, message, details } = error
      const facts = { message: `(#${code}) ${message}`, type: 'OAuthException', code, error_data: { details } }
      return { status, body: { error: { ...facts, fbtrace_id: randomBytes(8).toString('hex') } } }
    }
  }
}

const Subscription = z.object({ override_callback_uri: z.url(), verify_token: z.string() })

const NewTemplate = z.object({
  name: z.string(),
  language: z.string(),
  category: z.string(),
  parameter_format: z.enum(['POSITIONAL', 'NAMED']).default('POSITIONAL'),
  components: z.array(z.custom<SandboxTemplate['components'][number]>()),
})

const Reaction = z.object({ message_id: z.string(), emoji: z.string() })

function parsed(given: unknown): { sent: SentMessage; content: object } {
  const { success, data: sent, error } = SentMessage.safeParse(given)
  if (!success) throw new GraphError(400, 100, 'Invalid parameter', z.prettifyError(error))
  const content = sent[sent.type]
  if (typeof content === 'object' && content !== null) return { sent, content }
  throw new GraphError(400, 131009, 'Parameter value is not valid', `Parameter ${sent.type} is missing`)
}

function page(query: URLSearchParams, templates: readonly SandboxTemplate[]): unknown {
  const limit = Math.min(100, Math.max(1, Number(query.get('limit')) || 25))
  const from = Number(query.get('after')) || 0
  const after = String(from + limit)
  const more = templates.length > from + limit
  return {
    data: templates.slice(from, from + limit),
    paging: { cursors: { after }, ...(more && { next: `?after=${after}` }) },
  }
}

function checked(content: unknown, templates: readonly SandboxTemplate[]): SentTemplate {
  const parsed = SentTemplate.safeParse(content)
  if (!parsed.success) throw new GraphError(400, 131009, 'Parameter value is not valid', z.prettifyError(parsed.error))
  const { name, language, components } = parsed.data
  const known = templates.find((one) => one.name === name && one.language === language.code)
  if (!known) throw new GraphError(404, 132001, 'Template name does not exist in the translation')
  if (known.status === 'PENDING') throw new GraphError(404, 132001, 'Template name does not exist in the translation')
  if (known.status === 'PAUSED') throw new GraphError(400, 132015, 'Template is paused')
  for (const type of ['HEADER', 'BODY']) {
    const wanted = variablesIn(known.components.find((one) => one.type === type)?.text).length
    const given = components.filter((one) => one.type.toUpperCase() === type).flatMap(({ parameters }) => parameters)
    if (wanted !== given.length)
      throw new GraphError(400, 132000, 'Number of parameters does not match', `${type}: ${given.length} of ${wanted}`)
  }
  return parsed.data
}
