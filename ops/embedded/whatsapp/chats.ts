import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const Button = z.object({ text: z.string(), url: z.string().optional(), id: z.string().optional() })

export const ChatMessage = z.object({
  id: z.string(),
  from: z.enum(['business', 'person']),
  type: z.string(),
  at: z.iso.datetime(),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  ref: z.string().optional(),
  header: z.string().optional(),
  text: z.string().default(''),
  footer: z.string().optional(),
  file: z.object({ kind: z.string(), name: z.string(), link: z.string().optional() }).optional(),
  buttons: z.array(Button).default([]),
  quoted: z.string().optional(),
  reaction: z.string().optional(),
  template: z.string().optional(),
})

export type ChatMessage = z.infer<typeof ChatMessage>

const Chat = z.object({
  wa_id: z.string(),
  name: z.string(),
  last_inbound_at: z.iso.datetime().nullable(),
  messages: z.array(ChatMessage),
  number: z.string().optional(),
})

export type Chat = z.infer<typeof Chat>

const most = { people: 100, messages: 200 }

const windowMs = 24 * 3_600_000

export interface Chats {
  list(): Chat[]
  find(waId: string): Chat | undefined
  open(waId: string, name?: string): Chat
  add(chat: Chat, message: ChatMessage): void
  /** Sets the emoji of a message. An empty string removes the emoji. */
  react(chat: Chat, messageId: string, emoji: string): void
  isOpen(chat: Chat): boolean
  changed(): void
  watch(tell: () => void): () => void
  written(): Promise<void>
}

export async function openChats(dir: string): Promise<Chats> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, 'chats.json')
  const kept = z.array(Chat).safeParse(await readJson(path))
  const chats = new Map((kept.data ?? []).map((chat) => [chat.wa_id, chat]))
  const watchers = new Set<() => void>()
  let writing: Promise<void> = Promise.resolve()
  let isDue = false

  async function write(): Promise<void> {
    isDue = false
    await writeFile(`${path}.new`, JSON.stringify([...chats.values()]), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }

  const newest = ({ messages }: Chat) => messages.at(-1)?.at ?? ''
  const list = () => [...chats.values()].sort((a, b) => (newest(a) < newest(b) ? 1 : -1))

  return {
    list,
    find: (waId) => chats.get(waId),
    open(waId, name = `+${waId}`) {
      const chat = chats.get(waId) ?? { wa_id: waId, name, last_inbound_at: null, messages: [] }
      chats.set(waId, chat)
      for (const old of list().slice(most.people)) if (old !== chat) chats.delete(old.wa_id)
      return chat
    },
    add(chat, message) {
      chat.messages.push(message)
      if (message.from === 'person') chat.last_inbound_at = message.at
      chat.messages.splice(0, Math.max(0, chat.messages.length - most.messages))
    },
    react(chat, messageId, emoji) {
      for (const message of chat.messages) if (message.id === messageId) message.reaction = emoji
    },
    isOpen: ({ last_inbound_at }) => last_inbound_at !== null && Date.now() - Date.parse(last_inbound_at) < windowMs,
    changed() {
      for (const watcher of watchers) watcher()
      if (isDue) return
      isDue = true
      writing = writing.then(write).catch((error: Error) => {
        process.stderr.write(`chats could not be stored: ${error.message}\n`)
      })
    },
    watch(tell) {
      watchers.add(tell)
      return () => watchers.delete(tell)
    },
    written: () => writing,
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return []
  }
}
