/** Characters that stand in both the system prompt and an answer, side by side, when the answer tells of it. */
export const leakLength = 48

/** Below so many characters, a prompt says nothing that an answer may not say by chance. */
const leastPrompt = 20

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Finds out whether a text repeats a passage of the system prompt, or a short one whole: models do, however they are told not to. */
export function createPromptGuard(systemPrompt: string): (text: string) => boolean {
  const prompt = plain(systemPrompt)
  if (prompt.length < leastPrompt) return () => false
  const length = Math.min(leakLength, prompt.length)
  const passages = new Set(passagesOf(prompt, length))
  return (text) => passagesOf(plain(text), length).some((passage) => passages.has(passage))
}

const passagesOf = (text: string, length: number): string[] =>
  Array.from({ length: Math.max(0, text.length - length + 1) }, (_, i) => text.slice(i, i + length))
