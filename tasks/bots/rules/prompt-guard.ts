/** Number of consecutive characters of the system prompt in an answer that count as a leak. */
export const leakLength = 48

/** Minimum length of a protected prompt. An answer could contain a shorter prompt by chance. */
const leastPrompt = 20

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/**
 * Returns a check that finds passages of the system prompt, or a complete short prompt, in a text. Models may repeat
 * prompts even if they are instructed not to.
 */
export function createPromptGuard(systemPrompt: string): (text: string) => boolean {
  const prompt = plain(systemPrompt)
  if (prompt.length < leastPrompt) return () => false
  const length = Math.min(leakLength, prompt.length)
  const passages = new Set(passagesOf(prompt, length))
  return (text) => passagesOf(plain(text), length).some((passage) => passages.has(passage))
}

const passagesOf = (text: string, length: number): string[] =>
  Array.from({ length: Math.max(0, text.length - length + 1) }, (_, i) => text.slice(i, i + length))
