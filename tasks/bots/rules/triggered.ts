import { normaliseWords } from './fingerprint.ts'

/** True if a question contains a trigger of the action as whole words, and the action requires no argument. */
export function isTriggered(
  { parameters, triggers }: { parameters: { required: readonly string[] }; triggers: readonly string[] },
  question: string,
): boolean {
  const words = ` ${normaliseWords(question)} `
  return parameters.required.length === 0 && triggers.some((phrase) => words.includes(` ${normaliseWords(phrase)} `))
}
