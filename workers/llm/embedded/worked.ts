import type { EngineResult } from '#tasks/ai/engine.ts'
import { estimateUsage } from '../token-usage.ts'

/** `isByMeaning`: true if the sentence model was used next to words. */
export const getEngineResult = (read: readonly string[], written: string, isByMeaning = false): EngineResult => ({
  engine: 'embedded',
  model: isByMeaning ? 'use-lite-en' : 'embedded-lexical-1',
  usage: estimateUsage(read, written),
})
