/** Result of a reply: the message that carries it, or the reason why there is none. */
export type ReplyOutcome = { sentId: string } | { refused: string }

/** Message of a conversation that a channel sends. */
export interface ChannelReply {
  id: string
  content: string
  /** Person who wrote it. `null` for the bot. */
  author: string | null
  seq: number
}
