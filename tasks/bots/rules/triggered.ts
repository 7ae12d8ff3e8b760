import { wordsOf } from './fingerprint.ts'

/** Whether an action is called upon a question by its phrases: whole words, and nothing that it must be given. */
export function isTriggered(
  { parameters, triggers }: { parameters: { required: readonly string[] }; triggers: readonly string[] },
  question: string,
): boolean {
  const words = ` ${wordsOf(question)} `
  return parameters.required.length === 0 && triggers.some((phrase) => words.includes(` ${wordsOf(phrase)} `))
}
