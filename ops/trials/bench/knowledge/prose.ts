/** A fact, a sentence on the same topic without the fact, and a question in other words. */
export type Topic = readonly [fact: string, beside: string, question: string]

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
