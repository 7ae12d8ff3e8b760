/** Characters that stand in both the system prompt and an answer, side by side, when the answer tells of it. */
export const leakLength = 48

const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')

/** Finds out whether a text repeats a passage of the system prompt: models do, however they are told not to. */
export function createPromptGuard(systemPrompt: string): (text: string) => boolean {
  const prompt = plain(systemPrompt)
  const passages = new Set<string>()
  for (let i = 0; i + leakLength <= prompt.length; i++) passages.add(prompt.slice(i, i + leakLength))
  return (text) => {
    const said = plain(text)
    for (let i = 0; i + leakLength <= said.length; i++) if (passages.has(said.slice(i, i + leakLength))) return true
    return false
  }
}
