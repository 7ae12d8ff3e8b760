import { config } from '#lib/config.ts'

/** Sentence model inside the workers, as clients see it. */
export const embeddedModel = {
  name: 'use-lite-en',
  language: 'en',
  dimensions: 512,
  /** Maximum number of UTF-16 units of a text and of all texts of a request. A request takes up to 20 s of CPU. */
  mostCharacters: 4_096,
  mostCharactersInTotal: 100_000,
} as const

export const hasEmbeddedModel = (): boolean => config.AI_MEANING
