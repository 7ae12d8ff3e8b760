export interface TextMessage {
  id: string
  from: 'business' | 'person'
  text: string
  at: string
  status: 'sent' | 'delivered' | 'undelivered'
  sender: string
}

/** Messages with one phone number. `callback` is the URL for statuses that the last message had. */
export interface Thread {
  phone: string
  messages: TextMessage[]
  sender: string
  callback: string | undefined
}

const most = { people: 100, messages: 200 }

export interface Threads {
  list(): Thread[]
  open(phone: string): Thread
  add(thread: Thread, message: TextMessage): void
  changed(): void
  watch(tell: () => void): () => void
}

/** Keeps the messages of the sandbox in memory. */
export function createThreads(): Threads {
  const threads = new Map<string, Thread>()
  const watchers = new Set<() => void>()
  const newest = ({ messages }: Thread) => messages.at(-1)?.at ?? ''
  const list = () => [...threads.values()].sort((a, b) => (newest(a) < newest(b) ? 1 : -1))
  return {
    list,
    open(phone) {
      const thread = threads.get(phone) ?? { phone, messages: [], sender: '', callback: undefined }
      threads.set(phone, thread)
      for (const old of list().slice(most.people)) if (old !== thread) threads.delete(old.phone)
      return thread
    },
    add(thread, message) {
      thread.messages.push(message)
      thread.messages.splice(0, Math.max(0, thread.messages.length - most.messages))
    },
    changed() {
      for (const watcher of watchers) watcher()
    },
    watch(tell) {
      watchers.add(tell)
      return () => watchers.delete(tell)
    },
  }
}
