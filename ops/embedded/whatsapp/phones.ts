import { randomBytes } from 'node:crypto'
import type { Chat, ChatMessage, Chats } from './chats.ts'
import type { Hooks } from './hooks.ts'

/** A person’s message. `tapped` identifies the message of a tapped button. */
export interface WrittenMessage {
  text: string
  tapped?: { message_id: string; id?: string | undefined } | undefined
}

export interface Phones {
  write(chat: Chat, written: WrittenMessage): void
  read(chat: Chat): void
}

export function createPhones(chats: Chats, hooks: Hooks): Phones {
  return {
    write(chat, { text, tapped }) {
      const id = `wamid.${randomBytes(30).toString('base64')}`
      const at = new Date().toISOString()
      const quoted = tapped && { quoted: tapped.message_id }
      chats.add(chat, { id, from: 'person', type: 'text', at, status: 'delivered', text, buttons: [], ...quoted })
      hooks.message(chat, { id, ...contentOf(chat, { text, tapped }) })
      chats.changed()
    },
    read(chat) {
      const unread = chat.messages.filter(({ from, status }) => from === 'business' && status === 'delivered')
      for (const message of unread) {
        message.status = 'read'
        hooks.status(chat, message, 'read')
      }
      if (unread.length > 0) chats.changed()
    },
  }
}

function contentOf(chat: Chat, { text, tapped }: WrittenMessage): Record<string, unknown> {
  if (!tapped) return { type: 'text', text: { body: text } }
  const context = { from: 'business', id: tapped.message_id }
  const asked: ChatMessage | undefined = chat.messages.find(({ id }) => id === tapped.message_id)
  if (asked?.template !== undefined) return { type: 'button', context, button: { payload: text, text } }
  const kind = (asked?.buttons.length ?? 0) > 3 ? 'list_reply' : 'button_reply'
  return { type: 'interactive', context, interactive: { type: kind, [kind]: { id: tapped.id ?? text, title: text } } }
}
