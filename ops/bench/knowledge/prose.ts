/** A fact, a sentence of the same matter that tells nothing of it, and a question in other forms of its words. */
export type Topic = readonly [fact: string, beside: string, question: string]

/** What handbooks of one kind are written of, in one language. */
export interface Prose {
  title: string
  opening: string
  elsewhere: string
  topics: readonly Topic[]
  subjects: readonly string[]
  verbs: readonly string[]
  objects: readonly string[]
  ends: readonly string[]
}
