import { z } from 'zod'
import { isLanguageTag } from '#lib/language-tag.ts'

export const mostCharacters = 100_000

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u

export const nonBlankText = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => !control.test(text), 'must not contain control characters')

export const Language = z
  .string()
  .max(35)
  .refine(isLanguageTag, 'must be a language tag, such as en or pt-BR')
  .describe('BCP 47 language tag, such as `en` or `pt-BR`. The embedded engine always uses the language of the text.')

export const textList = (most: number) =>
  z
    .array(nonBlankText(mostCharacters))
    .min(1)
    .max(most)
    .refine(fitsCharacterLimit, `must be at most ${mostCharacters} characters in total`)

export function fitsCharacterLimit(texts: readonly string[]): boolean {
  return texts.reduce((sum, text) => sum + text.length, 0) <= mostCharacters
}

export const engineResultFields = {
  engine: z
    .enum(['upstream', 'embedded'])
    .describe(
      'Engine that processed the request. `embedded` compares words, and in some operations English texts by their meaning.',
    ),
  model: z.string(),
  usage: z
    .object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
    .describe('Token counts. If the upstream server does not report them, four characters count as one token.'),
}

export const FinishReason = z.enum(['stop', 'length', 'content_filter'])
