import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { onceOnly } from '#lib/once-only.ts'
import { type CloudApi, CloudApiError, type ListedTemplate } from '#tasks/whatsapp/engine.ts'
import { parseAnswer, refusalIn } from './answers.ts'

/** Where the Cloud API is, and by what we are known there. */
export interface CloudApiSettings {
  server: string
  version: string
  phoneNumberId: string | undefined
  accountId: string | undefined
  accessToken: string | undefined
  timeoutMs: number
}

/** Bytes of an answer; a page of 100 templates is far smaller. */
const mostBytes = 8 * 1024 * 1024

/** Pages of templates: an account has 6,000 at most. */
const mostPages = 100

const SendResponse = z.object({
  contacts: z
    .array(z.object({ wa_id: z.string().regex(/^\d{5,20}$/) }))
    .min(1)
    .optional(),
  messages: z.array(z.object({ id: z.string().min(1).max(500) })).min(1),
})

const TemplatePage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      language: z.string(),
      status: z.string(),
      category: z.string(),
      parameter_format: z.string().default('POSITIONAL'),
      components: z.array(z.looseObject({ type: z.string() })).default([]),
    }),
  ),
  paging: z
    .object({ cursors: z.object({ after: z.string().optional() }).optional(), next: z.string().optional() })
    .optional(),
})

/** No connection was made, or it was closed before a byte of the answer came. */
const unanswered = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
])

/** Of those, after which the request may have been read. */
const perhapsRead = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** Opens a client of the Cloud API. */
export function createCloudApi(settings: CloudApiSettings): CloudApi {
  const { server, version, phoneNumberId, accountId, accessToken, timeoutMs } = settings
  const agent = new Agent({ keepAliveTimeout: 10_000, connect: { timeout: Math.min(5_000, timeoutMs) } })
  const base = `${server.replace(/(?<!\/)\/+$/, '')}/${version}`

  async function exchange(path: string, body: object | undefined, stopping: AbortSignal) {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
    const answer = await request(`${base}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${accessToken}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      dispatcher: agent,
      signal,
    })
    const text = await readText(answer.body).catch(() => {
      throw new CloudApiError('unknown', 'The answer ended early.', { httpStatus: answer.statusCode })
    })
    return { status: answer.statusCode, headers: answer.headers, json: parseAnswer(text) }
  }

  /** One exchange, and another one if not a byte of an answer came; throws for every answer that is not one of success. */
  async function ask<S extends z.ZodType>(path: string, body: object | undefined, schema: S, stopping: AbortSignal) {
    const answer = await exchange(path, body, stopping).catch(async (error: unknown) => {
      if (error instanceof CloudApiError) throw error
      if (stopping.aborted || !unanswered.has(codeOf(error))) throw failed(error)
      await pause(100 + Math.random() * 400, undefined, { signal: stopping }).catch(() => {})
      // The pause is over or the attempt is: in that case the exchange ends at once.
      return await exchange(path, body, stopping).catch((again: unknown) => {
        throw again instanceof CloudApiError ? again : failed(again, perhapsRead.has(codeOf(error)))
      })
    })
    if (answer.status >= 400) throw refusalIn(answer)
    const parsed = schema.safeParse(answer.json)
    if (answer.status === 200 && parsed.success) return parsed.data
    throw new CloudApiError('unknown', 'The answer is none of the Cloud API.', { httpStatus: answer.status })
  }

  const missing = (what: string) => new CloudApiError('not_configured', `${what} is not set.`)

  return {
    async send(message, signal) {
      if (!phoneNumberId) throw missing('WHATSAPP_PHONE_NUMBER_ID')
      if (!accessToken) throw missing('WHATSAPP_ACCESS_TOKEN')
      const { contacts, messages } = await ask(`${phoneNumberId}/messages`, message, SendResponse, signal)
      return { wamid: messages[0]?.id ?? '', waId: contacts?.[0]?.wa_id ?? String(message.to) }
    },
    async templates(signal) {
      if (!accountId) throw missing('WHATSAPP_BUSINESS_ACCOUNT_ID')
      if (!accessToken) throw missing('WHATSAPP_ACCESS_TOKEN')
      const templates: ListedTemplate[] = []
      let after: string | undefined
      for (let page = 0; page < mostPages; page++) {
        const query = new URLSearchParams({ fields, limit: '100', ...(after && { after }) })
        const { data, paging } = await ask(`${accountId}/message_templates?${query}`, undefined, TemplatePage, signal)
        templates.push(...data.map(({ id, ...rest }) => ({ provider_id: id, ...rest })))
        after = paging?.next ? paging.cursors?.after : undefined
        if (after === undefined) break
      }
      return { accountId, templates }
    },
    close: onceOnly(() => agent.close()),
  }
}

const fields = 'id,name,language,status,category,parameter_format,components'

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? ''

function failed(error: unknown, readBefore = false): CloudApiError {
  const code = codeOf(error)
  const unmade = unanswered.has(code) && !perhapsRead.has(code) && !readBefore
  return new CloudApiError(unmade ? 'unmade' : 'unknown', `No answer of the Cloud API: ${code || 'it took too long'}.`)
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > mostBytes) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
