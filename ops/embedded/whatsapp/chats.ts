import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const Button = z.object({ text: z.string(), url: z.string().optional(), id: z.string().optional() })

/** A message as the phone shows it. */
export const ChatMessage = z.object({
  id: z.string(),
  from: z.enum(['business', 'person']),
  type: z.string(),
  at: z.iso.datetime(),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  /** What comes back with each status. */
  ref: z.string().optional(),
  header: z.string().optional(),
  text: z.string().default(''),
  footer: z.string().optional(),
  /** The kind of file, and where it is. */
  file: z.object({ kind: z.string(), name: z.string(), link: z.string().optional() }).optional(),
  buttons: z.array(Button).default([]),
  quoted: z.string().optional(),
  reaction: z.string().optional(),
  template: z.string().optional(),
})

/** A message as the phone shows it. */
export type ChatMessage = z.infer<typeof ChatMessage>

const Chat = z.object({
  wa_id: z.string(),
  name: z.string(),
  last_inbound_at: z.iso.datetime().nullable(),
  messages: z.array(ChatMessage),
  /** The number that wrote last: what they write goes to it. */
  number: z.string().optional(),
})

/** A person's phone: what they and the business number wrote each other. */
export type Chat = z.infer<typeof Chat>

/** How much is kept of each. */
const most = { people: 100, messages: 200 }

const windowMs = 24 * 3_600_000

/** The phones of people who do not exist. */
export interface Chats {
  /** The one with the newest message first. */
  list(): Chat[]
  find(waId: string): Chat | undefined
  /** The person's chat; somebody new gets one. */
  open(waId: string, name?: string): Chat
  /** Adds a message to a chat; a new one takes the place of the oldest when there are too many. */
  add(chat: Chat, message: ChatMessage): void
  /** Puts an emoji to a message, or takes it away when it is empty. */
  react(chat: Chat, messageId: string, emoji: string): void
  /** Whether free-form messages may go to the person now. */
  isOpen(chat: Chat): boolean
  /** Writes down what was changed, and tells who watches. */
  changed(): void
  watch(tell: () => void): () => void
  /** Resolves when all is written. */
  written(): Promise<void>
}

/** Opens the chats of a folder, which is made where there is none. */
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
        process.stderr.write(`chats could not be written: ${error.message}\n`)
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
