import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { z } from 'zod'
import { runOnlyOnce } from '#lib/once-only.ts'
import { CloudApiError } from '#tasks/whatsapp/engine.ts'
import { findApiError, parseResponse } from './answers.ts'

/** Maximum size of a response in bytes. A page of 100 templates is far smaller. */
const mostBytes = 8 * 1024 * 1024

/** Codes of errors that occur without a connection, or if it was closed before the first byte of the response. */
const unanswered = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
  ...['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
])

/** Errors of `unanswered` after which the server may have read the request. */
const perhapsRead = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

export interface GraphRequest {
  path: string
  token: string
  method?: 'GET' | 'POST' | 'DELETE'
  body?: object
  stream?: { type: string; length: number; bytes: AsyncIterable<Uint8Array> }
  timeoutMs?: number
}

export interface GraphSettings {
  server: string
  version: string
  timeoutMs: number
}

export interface Graph {
  /**
   * Sends a request. Repeats it once if no byte of a response arrived. Throws a `CloudApiError` unless the request
   * succeeds.
   */
  ask<S extends z.ZodType>(asked: GraphRequest, schema: S, stopping: AbortSignal): Promise<z.output<S>>
  fetch(url: URL, token: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  origin: string
  close(): Promise<void>
}

export function openGraph({ server, version, timeoutMs }: GraphSettings): Graph {
  const agent = new Agent({ keepAliveTimeout: 10_000, connect: { timeout: Math.min(5_000, timeoutMs) } })
  let root = server
  while (root.endsWith('/')) root = root.slice(0, -1)
  const base = `${root}/${version}`

  async function exchange({ path, token, method, body, stream, timeoutMs: most }: GraphRequest, stopping: AbortSignal) {
    const type = stream?.type ?? (body && 'application/json')
    const answer = await request(`${base}/${path}`, {
      method: method ?? (type === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${token}`,
        ...(type !== undefined && { 'content-type': type }),
        ...(stream && { 'content-length': String(stream.length) }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(stream && { body: Readable.from(stream.bytes, { objectMode: false }) }),
      dispatcher: agent,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(most ?? timeoutMs)]),
    })
    const text = await readText(answer.body).catch(() => {
      throw new CloudApiError('unknown', 'The response ended early.', { httpStatus: answer.statusCode })
    })
    return { status: answer.statusCode, headers: answer.headers, json: parseResponse(text) }
  }

  return {
    origin: new URL(base).origin,
    async ask(asked, schema, stopping) {
      const answer = await exchange(asked, stopping).catch(async (error: unknown) => {
        if (error instanceof CloudApiError) throw error
        if (asked.stream || stopping.aborted || !unanswered.has(codeOf(error))) throw failed(error)
        await pause(100 + Math.random() * 400, undefined, { signal: stopping }).catch(() => {})
        // The pause or the attempt has ended. If the attempt has ended, the exchange ends immediately.
        return await exchange(asked, stopping).catch((again: unknown) => {
          throw again instanceof CloudApiError ? again : failed(again, perhapsRead.has(codeOf(error)))
        })
      })
      if (answer.status >= 400) throw findApiError(answer)
      const parsed = schema.safeParse(answer.json)
      if (answer.status === 200 && parsed.success) return parsed.data
      throw new CloudApiError('unknown', 'The response is not from the Cloud API.', { httpStatus: answer.status })
    },
    async fetch(url, token, signal) {
      const answer = await request(url, {
        headers: { authorization: `Bearer ${token}` },
        dispatcher: agent,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal,
      }).catch((error: unknown) => {
        throw failed(error)
      })
      if (answer.statusCode === 200) return answer.body
      await answer.body.dump().catch(() => {})
      throw findApiError({ status: answer.statusCode, headers: answer.headers, json: undefined })
    },
    close: runOnlyOnce(() => agent.close()),
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? ''

function failed(error: unknown, readBefore = false): CloudApiError {
  const code = codeOf(error)
  const unmade = unanswered.has(code) && !perhapsRead.has(code) && !readBefore
  return new CloudApiError(
    unmade ? 'unmade' : 'unknown',
    `The Cloud API did not respond: ${code || 'it took too long'}.`,
  )
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
