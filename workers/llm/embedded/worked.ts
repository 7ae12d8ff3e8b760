import type { EngineResult } from '#tasks/ai/engine.ts'
import { estimateUsage } from '../token-usage.ts'

export const getEngineResult = (read: readonly string[], written: string): EngineResult => ({
  engine: 'embedded',
  model: 'embedded-lexical-1',
  usage: estimateUsage(read, written),
})
