import { log } from '#lib/log.ts'
import { NotStoredError } from '#tasks/rooms/engine.ts'
import { JanusRefusalError } from '../janus/session.ts'
import type { ClientMessage, ServerMessage } from './messages.ts'
import { RefusalError } from './refusal.ts'

export function createFailureMessage(error: unknown, message: ClientMessage, room: string): ServerMessage {
  const id = 'id' in message ? message.id : undefined
  if (error instanceof RefusalError) {
    const { code, details } = error
    return { type: 'error', id, code, message: error.message, details }
  }
  if (error instanceof NotStoredError) {
    const text = 'The change could not be stored. Try again in a moment.'
    return { type: 'error', id, code: 'unavailable', message: text }
  }
  if (error instanceof JanusRefusalError) log.debug({ err: error, room }, 'the media server rejected a message')
  else log.warn({ err: error, room, type: message.type }, 'a message of a participant could not be processed')
  return { type: 'error', id, code: 'media_failed', message: 'The media server rejected the message.' }
}
